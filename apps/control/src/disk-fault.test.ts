import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskFaultNow, diskFaultOf } from "#disk-fault.ts";
import { asAppError } from "#errors.ts";
import { explainStartError } from "#explain-start-error.ts";

const withCode = (code: string, message = "x") => Object.assign(new Error(message), { code });

test.each([
  [withCode("ENOSPC"), "full"],
  [withCode("EDQUOT"), "full"],
  [withCode("53100", "could not extend file"), "full"],
  [new Error("Invalid invocation", { cause: withCode("53100") }), "full"],
  [
    Object.assign(new Error("Raw query failed"), { code: "P2010", meta: { code: "53100" } }),
    "full",
  ],
  [new Error("could not write to file: No space left on device"), "full"],
  [withCode("EROFS"), "read-only"],
  [withCode("ENOENT"), null],
  [new Error("anything"), null],
  ["ENOSPC", null],
])("%s is %s", (error, fault) => {
  expect(diskFaultOf(error)).toBe(fault);
  if (fault === null) return;
  const told = asAppError(error);
  expect(told.code).toBe("UNAVAILABLE");
  expect(told.userMessage).toMatch(
    fault === "full" ? /The disk is full.*Free some space/ : /read-only/,
  );
});

test("a start on a read-only file system says so", () => {
  const place = { dataDir: "/data", port: 1, host: "127.0.0.1" };
  expect(explainStartError(withCode("EROFS"), place)).toMatch(/\/data.* is read-only/);
});

// Root may mount a small disk of its own.
const canMount = process.platform === "linux" && process.getuid?.() === 0;
test.runIf(canMount)("a disk is full, then read-only, then healed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "liverl-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]);
  try {
    expect(await diskFaultNow(folder)).toBeNull();
    await writeFile(join(folder, "filler"), Buffer.alloc(12 * 1024 * 1024));
    expect(await diskFaultNow(folder)).toBe("full");
    await rm(join(folder, "filler"));
    execFileSync("mount", ["-o", "remount,ro", folder]);
    expect(await diskFaultNow(folder)).toBe("read-only");
    execFileSync("mount", ["-o", "remount,rw", folder]);
    expect(await diskFaultNow(folder)).toBeNull();
  } finally {
    execFileSync("umount", [folder]);
    await rm(folder, { recursive: true, force: true });
  }
});
