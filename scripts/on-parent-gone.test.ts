import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";

const MODULE = new URL("on-parent-gone.mjs", import.meta.url).href;

/** A shell with a Node behind it that tells its pid in `up`, as npm has them, killed by SIGTERM. Whether the Node then wrote `gone`. */
async function killShell(env: Record<string, string>): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "parent-"));
  await writeFile(
    join(folder, "child.mjs"),
    `import { writeFileSync } from "node:fs";
     import { onParentGone } from ${JSON.stringify(MODULE)};
     onParentGone(() => { writeFileSync("gone", ""); process.exit(0); }, 50);
     setTimeout(() => process.exit(0), 60_000);
     writeFileSync("up", String(process.pid));`,
  );
  // `; true`: without a second command some shells become the Node instead of waiting for it.
  const shell = spawn("/bin/sh", ["-c", `"${process.execPath}" child.mjs; true`], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  while (!existsSync(join(folder, "up"))) await pause(20);
  await pause(200);
  expect(existsSync(join(folder, "gone"))).toBe(false);
  shell.kill("SIGTERM");
  for (let looks = 0; looks < 100 && !existsSync(join(folder, "gone")); looks++) await pause(20);
  const isGone = existsSync(join(folder, "gone"));
  if (!isGone) process.kill(Number(await readFile(join(folder, "up"), "utf8")));
  return isGone;
}

test("the child of npm's shell hears that the shell was ended", async () => {
  expect(await killShell({ npm_lifecycle_event: "start" })).toBe(true);
});

test("a child that npm did not start outlives its shell", async () => {
  expect(await killShell({})).toBe(false);
});
