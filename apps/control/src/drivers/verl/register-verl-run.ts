import { basename } from "node:path";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import { windowOf } from "#drivers/verl/build-verl-overrides.ts";
import { templateValuesOf } from "#launch/template-values.ts";

/**
 * Makes the run and its pool known to the data plane: verl's own workers dial in and serve it, or start a proxy of their
 * host's own, which knows the pool from them. A repeat replaces.
 */
export async function registerVerlRun(
  ctx: Pick<Context, "runner">,
  runId: string,
  spec: VerlSpec,
): Promise<void> {
  const { model, project, proxy, rollout } = spec;
  const { values: templateValues } = templateValuesOf(spec);
  await ctx.runner.registerRun(runId, {
    project,
    pool: {
      engines: [],
      relay: true,
      engineKeyPath: null,
      modelDir: model.path,
      modelName: modelNameOf(spec),
      maxModelLen: windowOf(spec),
    },
    concurrency: rollout.concurrency,
    maxTurns: rollout.max_turns,
    rolloutTimeoutS: rollout.timeout_s,
    agent: rollout.agent,
    ...(proxy.mode === "local" && { trainerProxies: true }),
    ...(templateValues && { templateValues }),
  });
}

/** What agents call the model. */
export const modelNameOf = ({ model }: VerlSpec) => basename(model.path) || "policy";
