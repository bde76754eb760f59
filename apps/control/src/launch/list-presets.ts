import type { LaunchSpec, Preset } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { PRESETS } from "#launch/presets/presets.ts";
import { VERL_DEFAULTS } from "#launch/verl-defaults.ts";

/** The presets with the seed that this LiveRL was started with, and the defaults of the drivers that have some. */
export function listPresets(ctx: Pick<Context, "config">): {
  presets: Preset[];
  defaults: LaunchSpec[];
} {
  const { seed } = ctx.config;
  return {
    presets: PRESETS.map((preset) => ({
      ...preset,
      spec: { ...preset.spec, seed },
    })),
    defaults: VERL_DEFAULTS.map((spec) => ({ ...spec, seed })),
  };
}
