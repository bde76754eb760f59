import { execFileSync, spawnSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { findBase, findTree, keepPatch } from "#trials/keep-patch.ts";

let folder: string;
let repository: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-patch-"));
  repository = join(folder, "repository");
  await mkdir(join(repository, "src"), { recursive: true });
  await mkdir(join(folder, "trial"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const git = (...words: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-C", repository, ...words], {
    encoding: "utf8",
  });
async function commit(): Promise<void> {
  git("init", "-q");
  await writeFile(join(repository, "src/a.txt"), "one\ntwo\n");
  await writeFile(join(repository, "gone.txt"), "x\n");
  await writeFile(join(repository, ".gitignore"), "build\n");
  git("add", "-A");
  git("commit", "-qm", "start");
}
/** Stands in for a sandbox: its commands run here, in a folder of the repository. */
const lookingAt = (cwd: string) => ({
  sandbox: {
    exec: async ({ argv: [command = "", ...words] }: { argv: readonly string[] }) => {
      const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: "utf8" });
      return { exitCode: status, output: stdout + stderr, durationMs: 0 };
    },
  } as Partial<Sandbox> as Sandbox,
  user: null,
  signal: new AbortController().signal,
});
const keep = (base: string, secrets: string[] = []) =>
  keepPatch(lookingAt(join(repository, "src")), base, { root: join(folder, "trial"), secrets });
const patch = () => readFile(join(folder, "trial/patch.diff"), "utf8");

test("changes, new files, deletions and commits are one patch, and looking leaves no trace", async () => {
  await commit();
  const base = await findBase(lookingAt(join(repository, "src")));
  await appendFile(join(repository, "src/a.txt"), "three\n");
  git("commit", "-qam", "by the agent");
  await rm(join(repository, "gone.txt"));
  await writeFile(join(repository, "new ü.txt"), "new\n");
  await writeFile(join(repository, "bytes"), Buffer.from([0, 1, 2]));
  await mkdir(join(repository, "build"));
  await writeFile(join(repository, "build/out"), "no\n");
  const before = { status: git("status", "--porcelain"), objects: git("count-objects", "-v") };
  expect(await keep(base ?? "")).toHaveProperty("patch");
  expect({ status: git("status", "--porcelain"), objects: git("count-objects", "-v") }).toEqual(
    before,
  );
  const text = await patch();
  for (const line of ["+three", "--- a/gone.txt", "+++ b/new ü.txt", "Binary files"])
    expect(text).toContain(line);
  expect(text).not.toContain("build/out");
  expect((await readdir(join(folder, "trial"))).length).toBe(1);
  // It can be laid over what the agent was given.
  git("stash", "-qu");
  git("checkout", "-q", base ?? "");
  const apart = text.replace(/diff --git a\/bytes[\s\S]*?(?=diff --git|$)/, "");
  execFileSync("git", ["-C", repository, "apply", "-"], { input: apart });
  expect(await readFile(join(repository, "src/a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("nothing changed is an empty patch; no repository, and one without a commit, have none", async () => {
  expect(await findBase(lookingAt(repository))).toBeNull();
  git("init", "-q");
  expect(await findBase(lookingAt(repository))).toBeNull();
  await commit();
  expect(await keep((await findBase(lookingAt(repository))) ?? "")).toEqual({ patch: "" });
  expect(await patch()).toBe("");
});

test("a repository that the agent removed or broke is told, and a secret is struck out", async () => {
  await commit();
  const base = (await findBase(lookingAt(repository))) ?? "";
  await writeFile(join(repository, "src/a.txt"), "token=very-secret-value\n");
  expect(await keep(base, ["very-secret-value"])).toHaveProperty("patch");
  expect(await patch()).toContain("+token=****");
  await rm(join(repository, ".git"), { recursive: true });
  expect(await keep(base)).toEqual({
    fault: expect.stringMatching(/did not tell the patch: .*not a git repository/s),
    isAgents: true,
  });
});

test("what the repository's own configuration would run is not run", async () => {
  await commit();
  const base = (await findBase(lookingAt(repository))) ?? "";
  const trap = join(folder, "trap.sh");
  await writeFile(trap, `#!/bin/sh\ntouch ${join(folder, "ran")}\n`, { mode: 0o755 });
  for (const key of ["core.fsmonitor", "diff.external", "core.pager"]) git("config", key, trap);
  await appendFile(join(repository, "src/a.txt"), "x\n");
  expect(await keep(base)).toHaveProperty("patch");
  expect(await readdir(folder)).not.toContain("ran");
});

test("what was there before a step is no part of its patch, in a commit or not", async () => {
  await commit();
  await appendFile(join(repository, "src/a.txt"), "by an earlier step\n");
  await writeFile(join(repository, "set-up"), "by the task\n");
  const before = git("status", "--porcelain");
  const tree = (await findTree(lookingAt(join(repository, "src")))) ?? "";
  expect(git("status", "--porcelain")).toBe(before);
  expect(await keep(tree)).toEqual({ patch: "" });
  git("add", "-A");
  git("commit", "-qm", "all of it");
  await appendFile(join(repository, "src/a.txt"), "by this one\n");
  expect(await keep(tree)).toHaveProperty("patch");
  const text = await patch();
  expect(text).toContain("+by this one");
  expect(text).not.toMatch(/^[+-].*(?:earlier|task)/m);
});
