import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import { LaunchBase } from "@liverl/contract/run-config";
import { z } from "zod";
import type { Context } from "#context.ts";
import { getSpecOfRun } from "#launch/get-spec-of-run.ts";
import { listPresets } from "#launch/list-presets.ts";

/** A base as it was at the launch: presets change with versions. */
export const StoredBase = LaunchBase.extend({ label: z.string(), spec: LaunchSpec });
export type StoredBase = z.infer<typeof StoredBase>;

/** What a launch began as, with its values. Throws NOT_FOUND for a preset or a run that is not there. */
export async function baseOfLaunch(
  ctx: Pick<Context, "db" | "config">,
  { kind, id }: LaunchBase,
): Promise<StoredBase> {
  if (kind === "run") return { kind, id, label: id, spec: await getSpecOfRun(ctx, { runId: id }) };
  const preset = listPresets(ctx).presets.find((one) => one.id === id);
  if (preset === undefined)
    throw new AppError("NOT_FOUND", { userMessage: `There is no preset ${id}.` });
  return { kind, id, label: preset.label, spec: preset.spec };
}
