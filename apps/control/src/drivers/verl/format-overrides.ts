import type { VerlSpec } from "@liverl/contract/verl-launch";
import { buildVerlOverrides, type VerlPlaces } from "#drivers/verl/build-verl-overrides.ts";
import { formatOverride } from "#drivers/verl/format-override.ts";

/** Every override of a spec as words of verl's command line, not quoted for a shell. Pure. */
export function formatOverrides(
  spec: VerlSpec,
  places: VerlPlaces,
  resumePath: string | null,
): string[] {
  return buildVerlOverrides(spec, places, resumePath).map(([key, value]) =>
    formatOverride(key, value),
  );
}
