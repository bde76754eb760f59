import { expect, test } from "vitest";
import { mergeProgress } from "#checkpoints/merge/merge-progress.ts";

// Lines of verl 0.9.1's merger.
const START = "Got device mesh tensor([0], dtype=torch.int32), mesh_dim_names ('fsdp',)\n";
const BAR =
  "Loading 8 FSDP shards:   0%|          | 0/8 [00:00<?, ?it/s]\rLoading 8 FSDP shards:  50%|█████     | 4/8 [00:00<00:00, 763.29it/s]";

test.each([
  ["", null],
  ["/usr/lib/torch/x.py: warning\n", null],
  [START, { detail: START.trim(), share: null }],
  [`${START}${BAR}`, { detail: "Loading 8 FSDP shards, 4/8", share: 0.5 }],
  [`${BAR}\nSaving model to /data/.hf.tmp\n`, { detail: "Saving model", share: null }],
])("%j", (log, progress) => {
  expect(mergeProgress(log)).toEqual(progress);
});
