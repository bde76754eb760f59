import { readFile } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import type { RayJobSpec } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { CARRIED_TOKENS, urlsFrom } from "#drivers/verl/adapter-links.ts";
import { type AdapterLinks, buildAgentLoops } from "#drivers/verl/build-agent-loops.ts";
import { buildVerlEnv } from "#drivers/verl/build-verl-env.ts";
import { VERL_MODULES, type VerlPlaces } from "#drivers/verl/build-verl-overrides.ts";
import { collectAdapter } from "#drivers/verl/collect-adapter.ts";
import { formatOverrides } from "#drivers/verl/format-overrides.ts";
import { RayJob } from "#drivers/verl/ray-job.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";

const AGENT_LOOPS = "agent_loops.yaml";
/** Where a node does not see the run's folder, verl's file logger writes elsewhere instead of dying. */
const METRICS_PLACE = "liverl_verl.metrics_place";

/** An attempt as a job of a Ray cluster: its working directory brings the adapter, its settings and its tokens along. */
export async function buildRayJob(
  ctx: Context,
  run: Pick<Run, "id" | "attempt">,
  spec: RayJobSpec,
  {
    files,
    here,
    places,
    resumePath,
  }: {
    files: VerlFiles;
    here: AdapterLinks;
    places: (data: Pick<VerlPlaces, "trainFiles" | "valFiles">) => VerlPlaces;
    resumePath: string | null;
  },
): Promise<RayJob> {
  const { data } = spec;
  if (data.train_harbor_dir !== null || data.val_harbor_dir !== null)
    throw new AppError("BAD_REQUEST", {
      userMessage:
        "A folder of Harbor tasks becomes a dataset on the machine that verl runs on, which the driver ray-job does not do: give parquet files that the cluster's nodes can read in data.train_files and data.val_files.",
    });
  const { target } = spec;
  const cluster = { name: `Ray at ${target.address}`, url: target.address };
  const loops = buildAgentLoops(run.id, spec, {
    ...urlsFrom(cluster, target, here),
    ...CARRIED_TOKENS,
  });
  const workingDir = new Map([
    ...(await collectAdapter(ctx.config.root)),
    [AGENT_LOOPS, loops],
    [CARRIED_TOKENS.runnerTokenPath, await readFile(here.runnerTokenPath, "utf8")],
    [CARRIED_TOKENS.workerTokenPath, await readFile(here.workerTokenPath, "utf8")],
  ]);
  const at = places({ trainFiles: data.train_files, valFiles: data.val_files });
  const overrides = formatOverrides(spec, { ...at, agentLoops: AGENT_LOOPS }, resumePath);
  return new RayJob(ctx, {
    ...{ runId: run.id, attempt: run.attempt, files, target, workingDir },
    argv: ["-m", VERL_MODULES[spec.algorithm.trainer_mode], ...overrides],
    env: clusterEnv(buildVerlEnv(spec, { adapter: "", metrics: files.metrics(run.attempt) })),
  });
}

/** Ray puts the working directory on PYTHONPATH by itself. */
function clusterEnv({
  PYTHONPATH = "",
  VERL_USE_EXTERNAL_MODULES,
  ...env
}: Record<string, string>): Record<string, string> {
  return {
    ...env,
    ...(PYTHONPATH !== "" && { PYTHONPATH }),
    VERL_USE_EXTERNAL_MODULES: [VERL_USE_EXTERNAL_MODULES, METRICS_PLACE].filter(Boolean).join(","),
  };
}
