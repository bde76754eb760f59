import type { JoinedRunner } from "@liverl/contract/sandbox";
import type { RunnerContext } from "#context.ts";

/** Those that were heard of lately, by name, with how many trials each has. */
export function listJoinedRunners({
  places,
  leases,
}: Pick<RunnerContext, "places" | "leases">): JoinedRunner[] {
  const trialsOf = (name: string) =>
    [...leases.values()].filter(({ runner }) => runner === name).length;
  return places.runners().map((one) => ({ ...one, trials: trialsOf(one.name) }));
}
