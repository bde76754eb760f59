import type { VerlSpec } from "@liverl/contract/verl-launch";
import { VERL_MODULES } from "#drivers/verl/build-verl-overrides.ts";

/** Behind the interpreter of a cluster's image: what LiveRL does on this host before verl begins, the job does there. Pure. */
export function beginArgv(
  { algorithm, data }: Pick<VerlSpec, "algorithm" | "data">,
  overrides: readonly string[],
): string[] {
  const folder = (flag: string, path: string | null) => (path === null ? [] : [flag, path]);
  return [
    ...["-m", "liverl_verl.begin", "--module", VERL_MODULES[algorithm.trainer_mode]],
    ...folder("--train-harbor", data.train_harbor_dir),
    ...folder("--val-harbor", data.val_harbor_dir),
    ...["--", ...overrides],
  ];
}
