import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { findTasks } from "@liverl/durable/tasks/find-tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readHarborFolder } from "#launch/verl-evidence/read-harbor-folder.ts";

interface Case {
  name: string;
  files: Record<string, string>;
  links: Record<string, string>;
  tasks: string[];
}
const root = new URL("../../../../../", import.meta.url);
const cases: Case[] = JSON.parse(
  await readFile(
    new URL("packages/durable/src/tasks/__fixtures__/task-folders.json", root),
    "utf8",
  ),
);
const run = promisify(execFile);
let home: string;
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "task-folders-")));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function make({ files, links }: Pick<Case, "files" | "links">, name: string) {
  const folder = join(home, name);
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const [path, to] of Object.entries(links)) await symlink(to, join(folder, path));
  return folder;
}

// The same table runs through the adapter in test_harbor_dataset.py.
describe.each(cases.map((one, at) => [one.name, one, `case-${at}`] as const))(
  "%s",
  (_, one, name) => {
    const below = (folder: string, paths: string[]) =>
      paths.map((path) => relative(folder, path) || ".").sort();

    test("preflight counts what the runner finds", async () => {
      const folder = await make(one, `${name}-ts`);
      const found = await findTasks(`${folder}/`).catch(() => ({ tasks: [] }));
      expect(
        below(
          folder,
          found.tasks.map((task) => task.folder),
        ),
      ).toEqual(one.tasks);
      expect(await readHarborFolder(`${folder}/`, false)).toMatchObject({
        ...{ state: "read", tasks: one.tasks.length, broken: [] },
      });
    });

    test("gate and play find the same", async () => {
      const folder = await make(one, `${name}-mjs`);
      const code = `import { taskFolders } from ${JSON.stringify(new URL("scripts/task-folders.mjs", root).href)}; console.log(JSON.stringify(taskFolders([${JSON.stringify(folder)}])));`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code]).catch(
        () => ({ stdout: "[]" }),
      );
      expect(below(folder, JSON.parse(stdout))).toEqual(one.tasks);
    });
  },
);

test("of 18 tasks the 6 broken ones are named with file and reason", async () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 18; at += 1) {
    files[`t${at}/task.toml`] = 'schema_version = "1.4"\n';
    files[`t${at}/instruction.md`] = "Do it.";
  }
  files["t1/task.toml"] = "schema_version = \n";
  files["t4/task.toml"] = '[verifier]\ntimeout_sec = "soon"\n';
  files["t7/task.toml"] = "[[steps]]\n";
  files["t9/task.toml"] = "agent = 3\n";
  files["t12/task.toml"] = '[environment]\ncpus = "many"\n';
  delete files["t16/instruction.md"];
  const evidence = await readHarborFolder(await make({ files, links: {} }, "broken"), false);
  expect(evidence).toMatchObject({ state: "read", tasks: 18 });
  const broken = evidence.state === "read" ? evidence.broken : [];
  expect(broken.map(({ path }) => path).sort()).toEqual(["t1", "t12", "t16", "t4", "t7", "t9"]);
  for (const { path, reason } of broken)
    expect(reason).toContain(path === "t16" ? "t16/instruction.md" : `${path}/task.toml`);
});

test("10,000 tasks are read in bounded time", { timeout: 120_000 }, async () => {
  const folder = join(home, "many");
  const names = Array.from({ length: 10_000 }, (_, at) => join(folder, `t${at}`));
  for (const name of names) {
    await mkdir(name, { recursive: true });
    await writeFile(join(name, "task.toml"), 'schema_version = "1.4"\n');
    await writeFile(join(name, "instruction.md"), "x");
  }
  const before = performance.now();
  expect(await readHarborFolder(folder, false)).toMatchObject({ tasks: 10_000, broken: [] });
  expect(performance.now() - before).toBeLessThan(30_000);
});
