import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { excludePaths } from "#sandboxes/exclude-paths.ts";

const FILES = [
  ...["a.o", "a.c", "b.oo", "src/b.o", "src/deep/c.o", "src/deep/c.txt", "build/x", "src/build/y"],
  ...["build.txt", "src/a b.c", "[x].c", "x.c", "y.c", "-.c", "node_modules/m/i.js", "a+b.c"],
];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-exclude-"));
  for (const file of FILES) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), "");
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What GNU tar itself leaves, called as Harbor calls it. */
function keptByTar(patterns: readonly string[]): string[] {
  const excludes = patterns.map((pattern) => `--exclude=${pattern}`);
  const listed = execFileSync("sh", [
    ...["-c", 'tar cf - "$@" -C "$0" . | tar tf -', folder, ...excludes],
  ]).toString("utf8");
  return listed
    .split("\n")
    .filter((name) => name !== "" && !name.endsWith("/"))
    .map((name) => name.slice(2))
    .sort();
}

it.each([
  [["*.o"]],
  [["build"]],
  [["./build"]],
  [["src/*.o"]],
  [["src"]],
  [["deep/c.*", "build.txt"]],
  [["[xy].c"]],
  [["[!xy].c"]],
  [["\\[x\\].c"]],
  [["?.c"]],
  [["a b.c", "a+b.c"]],
  [["s*c"]],
  [["node_modules", "*.oo"]],
  [["[z-a].c"]],
  [["nothing"]],
])("leaves out by %j what tar does", (patterns) => {
  const isLeftOut = excludePaths(patterns);
  const kept = FILES.filter((file) => !isLeftOut(file.split("/"))).sort();
  expect(kept).toEqual(keptByTar(patterns).sort());
});
