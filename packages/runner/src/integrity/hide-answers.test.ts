import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeHidden, readHidden } from "#integrity/hide-answers.ts";
import { HIDE_SCRIPT } from "#integrity/hide-script.ts";

const SECRET = "the future's answer";
let folder: string;
let repository: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-hide-"));
  repository = join(folder, "app");
  await mkdir(repository);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const gitIn = (at: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-C", at, ...words], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
const git = (...words: string[]) => gitIn(repository, ...words);
async function commit(text: string): Promise<string> {
  await writeFile(join(repository, "a.txt"), text);
  git("add", "-A");
  git("commit", "-qm", text);
  return git("rev-parse", "HEAD");
}
function hide(mode: "hide" | "keep" = "hide", paths: string[] = [], cwd = repository) {
  const { stdout, stderr, status } = spawnSync("sh", ["-c", HIDE_SCRIPT, "sh", mode, ...paths], {
    cwd,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return readHidden(stdout);
}
/** Every object of the repository, however it is stored, as its text. */
const everything = () =>
  git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    .split("\n")
    .map((object) => git("cat-file", "-p", object))
    .join("\n");

const WAYS: [name: string, hideTheAnswer: (future: string) => void | Promise<void>][] = [
  ["another branch", (future) => void git("branch", "fix", future)],
  ["a tag", (future) => void git("tag", "-a", "v2", "-m", "next", future)],
  ["a remote's branch", (future) => void git("update-ref", "refs/remotes/origin/main", future)],
  [
    "packed refs and a pack",
    (future) => {
      git("branch", "fix", future);
      git("gc", "-q");
      git("pack-refs", "--all");
    },
  ],
  ["the reflog", () => undefined],
  [
    "a stash",
    async () => {
      git("reflog", "expire", "--expire=now", "--all");
      await writeFile(join(repository, "a.txt"), SECRET);
      git("stash", "-q");
    },
  ],
  ["dangling objects", () => void git("reflog", "expire", "--expire=now", "--all")],
  ["ORIG_HEAD", (future) => void git("update-ref", "ORIG_HEAD", future)],
  [
    "a pack that is to be kept",
    async (future) => {
      git("branch", "fix", future);
      git("repack", "-adq");
      const pack = execFileSync("sh", ["-c", "ls .git/objects/pack/*.pack"], {
        cwd: repository,
        encoding: "utf8",
      });
      await writeFile(join(repository, pack.trim().replace(/pack$/, "keep")), "");
    },
  ],
];
test.each(WAYS)("a future commit in %s is gone, and all of HEAD is there", async (_, put) => {
  git("init", "-q", "-b", "main");
  await commit("one");
  git("tag", "v1");
  const head = await commit("two");
  const future = await commit(SECRET);
  git("reset", "-q", "--hard", head);
  await put(future);
  expect(everything()).toContain(SECRET);
  const { repositories } = hide();
  expect(repositories).toEqual([
    expect.objectContaining({ path: join(repository, ".git"), fault: null }),
  ]);
  expect(repositories[0]?.objects).toBeGreaterThan(0);
  expect(everything()).not.toContain(SECRET);
  expect(() => git("rev-parse", "--verify", "HEAD@{1}")).toThrow();
  // What is honest to know is as it was.
  expect(git("rev-list", "--count", "HEAD")).toBe("2");
  expect(git("describe", "--tags")).toMatch(/^v1-1-g/);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("fsck", "--full")).toBe("");
  await commit("three");
  expect(git("log", "-1", "--format=%s", "HEAD@{1}")).toBe("two");
  expect(hide().repositories[0]).toMatchObject({ refs: [], remotes: [], objects: 0 });
});

test("a clone forgets where it came from, its upstream and what it borrowed", async () => {
  git("init", "-q", "-b", "main");
  const head = await commit("one");
  await commit(SECRET);
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", "--shared", repository, clone], { stdio: "ignore" });
  gitIn(clone, "reset", "-q", "--hard", head);
  const found = hide("hide", [], clone);
  expect(found.repositories[0]).toMatchObject({ remotes: ["origin"], fault: null });
  expect(found.repositories[0]?.refs).toContain("refs/remotes/origin/main");
  expect(describeHidden(found)[0]).toMatch(/the remotes origin.*keep_git_history/);
  expect(gitIn(clone, "remote")).toBe("");
  await rm(repository, { recursive: true });
  expect(gitIn(clone, "fsck", "--full")).toBe("");
  expect(gitIn(clone, "show", "HEAD:a.txt")).toBe("one");
});

test("repositories below the working directory, and the one above it", async () => {
  git("init", "-q", "-b", "main");
  const head = await commit("one");
  await commit(SECRET);
  git("reset", "-q", "--hard", head);
  const inner = join(repository, "lib", "inner");
  await mkdir(inner, { recursive: true });
  gitIn(inner, "init", "-q", "--bare");
  const found = hide("hide", [], join(repository, "lib"));
  expect(found.repositories).toEqual([
    expect.objectContaining({ path: join(repository, ".git"), fault: null }),
    expect.objectContaining({ path: inner, fault: "its HEAD has no commit" }),
  ]);
  expect(everything()).not.toContain(SECRET);
  expect(describeHidden(found)).toEqual([
    expect.stringContaining("is hidden: 3 objects"),
    expect.stringContaining("is not hidden: its HEAD has no commit"),
  ]);
});

test("what a merge is about stays, and a task may keep it all", async () => {
  git("init", "-q", "-b", "main");
  await commit("base");
  git("checkout", "-qb", "other");
  await commit("theirs");
  git("checkout", "-q", "main");
  await commit("ours");
  expect(hide("keep").repositories).toEqual([]);
  expect(() => git("merge", "other")).toThrow();
  expect(hide().repositories[0]?.fault).toContain("a merge or rebase is under way (MERGE_HEAD)");
  expect(git("branch", "--list", "other")).toContain("other");
});

test("answers of the image are removed whatever they are, and told", async () => {
  const paths = ["tests", "solution", "missing"].map((name) => join(folder, name));
  await mkdir(join(folder, "tests/deep"), { recursive: true });
  execFileSync("ln", ["-s", "nowhere", join(folder, "solution")]);
  expect(hide("keep", paths).removed).toEqual(paths.slice(0, 2));
  expect(hide("hide", paths)).toEqual({ removed: [], repositories: [], fault: null });
});
