import type { Preset } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { PRESETS } from "#launch/presets.ts";

/** The presets, with the seed that this LiveRL was started with. */
export function listPresets(ctx: Pick<Context, "config">): { presets: Preset[] } {
  return {
    presets: PRESETS.map((preset) => ({
      ...preset,
      spec: { ...preset.spec, seed: ctx.config.seed },
    })),
  };
}
