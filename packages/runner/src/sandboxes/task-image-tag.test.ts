import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { taskImageTag } from "#sandboxes/task-image-tag.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-image-"));
  await writeFile(join(folder, "Dockerfile"), "FROM x\nCOPY . /app\n");
  await writeFile(join(folder, "run.sh"), "echo\n", { mode: 0o644 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("is another for each change that the image would have", async () => {
  const changes = [
    () => Promise.resolve(),
    () => chmod(join(folder, "run.sh"), 0o755),
    () => mkdir(join(folder, "empty")),
    () => writeFile(join(folder, "run.sh"), "exit\n"),
  ];
  const tags: string[] = [];
  for (const change of changes) {
    await change();
    tags.push(await taskImageTag(folder));
    expect(await taskImageTag(folder)).toBe(tags.at(-1));
  }
  expect(new Set(tags).size).toBe(changes.length);
});
