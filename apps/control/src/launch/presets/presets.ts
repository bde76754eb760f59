import type { Preset } from "@liverl/contract/launch";
import { EMBEDDED_PRESETS } from "#launch/presets/embedded-presets.ts";
import { VERL_PRESETS } from "#launch/presets/verl-presets.ts";

/** Whole specs to start from. The first is what the form opens with. */
export const PRESETS: readonly Preset[] = [...EMBEDDED_PRESETS, ...VERL_PRESETS];
