import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "liverl-checkpoints-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function write(runId: string, ...names: string[]) {
  for (const name of names) {
    const path = join(dataDir, "runs", runId, "checkpoints", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, name.endsWith(".txt") ? "4" : "12345");
  }
}
const shards = (step: number, world: number, ranks: number[]) =>
  ranks.flatMap((rank) =>
    ["model", "optim", "extra_state"].map(
      (kind) => `global_step_${step}/actor/${kind}_world_size_${world}_rank_${rank}.pt`,
    ),
  );

it("an embedded checkpoint is complete by its mark", async () => {
  await write("e", "global_step_2/COMPLETE", "global_step_2/model.safetensors");
  await write("e", "global_step_4/model.safetensors");
  const found = await findCheckpoints(dataDir, "e");
  expect(found.map(({ step, complete }) => [step, complete])).toEqual([
    [2, true],
    [4, false],
  ]);
});

it("one of verl is complete with every rank's shards and its tracker", async () => {
  await write("v", ...shards(2, 2, [0, 1]), "global_step_2/data.pt");
  await write("v", ...shards(3, 2, [0]), "global_step_3/data.pt");
  // Pruned: only the shell is left.
  await write("v", "global_step_4/data.pt");
  await write("v", ...shards(6, 2, [0, 1]), "global_step_6/data.pt");
  await write("v", "latest_checkpointed_iteration.txt");
  const found = await findCheckpoints(dataDir, "v");
  expect(found.map(({ step, complete }) => [step, complete])).toEqual([
    [2, true],
    [3, false],
    [4, false],
    [6, false],
  ]);
  expect(found[0]).toMatchObject({ contents: ["actor/ (6 files)", "data.pt"], sizeBytes: 35 });
});
