import {
  SEPARATE_ROLLOUT_MODES,
  SINGLE_OUTPUT_MODES,
  type VerlSpec,
} from "@liverl/contract/verl-launch";

import { readOverride } from "#launch/effective-spec.ts";

/** CPUs of a GPU's bundle in a placement group (RayResourcePool, max_colocate_count). */
const PER_GPU = 3;
/** What the trainers' own actors claim: @ray.remote(num_cpus=…) of verl 0.9.1. */
const ACTORS = { fully_async: 10 + 10 + 2 + 1, one_step_off: 10, other: 1 };
/** TransferQueue of the trainers that use it: a controller and its storage units, eight by default. */
const STORAGE_UNITS = "transfer_queue.backend.SimpleStorage.num_data_storage_units";

/** CPUs that Ray must have before verl's actors are all placed; with fewer, the job waits without a word. */
export function verlCpus(spec: VerlSpec): number {
  const { layout } = spec;
  const { trainer_mode } = spec.algorithm;
  const units = readOverride(spec, STORAGE_UNITS)?.value;
  const queue = 1 + (typeof units === "number" ? units : 8);
  const gpus =
    layout.nnodes * layout.n_gpus_per_node +
    (SEPARATE_ROLLOUT_MODES.includes(trainer_mode)
      ? layout.rollout_nnodes * layout.rollout_n_gpus_per_node
      : 0);
  const own =
    trainer_mode === "fully_async" || trainer_mode === "one_step_off"
      ? ACTORS[trainer_mode]
      : ACTORS.other;
  return gpus * PER_GPU + own + (SINGLE_OUTPUT_MODES.includes(trainer_mode) ? 0 : queue);
}
