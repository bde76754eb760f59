import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeTemporaryDirectory } from "@liverl/proxy/testing/make-temporary-directory";
import { onTestFinished } from "vitest";

/** Tasks in Harbor's format: `hello`, `multi`, `noreward`, `slow`, `stages` of two steps, `bundled` with its own verifier. */
export const TASKS = fileURLToPath(new URL("../tasks/__fixtures__/tasks", import.meta.url));

/** A folder that is gone after the test. */
export async function makeFolder(name: string): Promise<string> {
  const folder = await makeTemporaryDirectory(name);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a task with some files of its own; gone after the test. */
export async function makeTask(
  name: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(await makeFolder("task"), name);
  await cp(join(TASKS, name), folder, { recursive: true, verbatimSymlinks: true });
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
