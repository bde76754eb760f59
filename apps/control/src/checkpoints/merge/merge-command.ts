import { join } from "node:path";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Shards } from "#checkpoints/merge/find-shards.ts";
import type { MergeFiles } from "#checkpoints/merge/merge-files.ts";

/** verl's own merger, watched by the small process of ours that notes its end. Pure. */
export function buildMergeCommand(
  spec: VerlSpec,
  {
    python,
    adapter,
    shards,
    files,
  }: { python: string; adapter: string; shards: Shards; files: MergeFiles },
): { argv: [string, ...string[]]; env: Record<string, string> } {
  const {
    PYTHONPATH,
    VERL_USE_EXTERNAL_MODULES: _,
    ...own
  } = spec.driver === "local-verl" ? spec.env : {}; // A cluster's variables say nothing of this machine.
  const argv: [string, ...string[]] = [
    python,
    ...["-m", "liverl_verl.launch", "--exit-file", files.exit, "--"],
    ...[python, "-m", "verl.model_merger", "merge", "--backend", shards.backend],
    ...["--local_dir", shards.folder, "--target_dir", files.staged],
    ...(spec.model.trust_remote_code ? ["--trust-remote-code"] : []),
    // Of Megatron alone: the model is built in the machine's memory.
    ...(shards.backend === "megatron" ? ["--use_cpu_initialization"] : []),
  ];
  return {
    argv,
    env: {
      ...own,
      PYTHONUNBUFFERED: "1",
      // FSDP's shards are put together in the machine's memory: its GPUs stay with whoever trains.
      ...(shards.backend === "fsdp" && { CUDA_VISIBLE_DEVICES: "" }),
      PYTHONPATH: [spec.verl.path, adapter, PYTHONPATH].filter(Boolean).join(":"),
    },
  };
}

/** The interpreter of a Python environment. */
export const interpreterIn = (venv: string) => join(venv, "bin/python");
