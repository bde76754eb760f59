import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openCommand } from "#sessions/open-command.ts";

test.each(["/data/liverl", "/a b/it's $(here)"])("a shell reads the token below %s", (dataDir) => {
  const command = openCommand("http://127.0.0.1:4400", dataDir);
  // Each word on a line of its own: what curl and cat are called with.
  const words = execFileSync("sh", [
    "-c",
    `curl() { printf '%s\\n' "$@"; }; cat() { printf '%s' "$1"; }; ${command}`,
  ]);
  expect(words.toString().trimEnd().split("\n")).toEqual([
    ...["-X", "POST", "http://127.0.0.1:4400/api/v1/sessions"],
    ...["-H", `authorization: Bearer ${dataDir}/operator.token`],
    ...["-H", "content-type: application/json", "-d", "{}"],
  ]);
});
