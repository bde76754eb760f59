import { readFile } from "node:fs/promises";
import type { RayJobSpec } from "@liverl/contract/verl-launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { CARRIED_TOKENS, linksFrom } from "#drivers/verl/adapter-links.ts";
import { beginArgv } from "#drivers/verl/begin-argv.ts";
import { type AdapterLinks, buildAgentLoops } from "#drivers/verl/build-agent-loops.ts";
import { buildVerlEnv } from "#drivers/verl/build-verl-env.ts";
import type { VerlPlaces } from "#drivers/verl/build-verl-overrides.ts";
import { clusterEnv } from "#drivers/verl/cluster-env.ts";
import { collectAdapter, collectProxy } from "#drivers/verl/collect-adapter.ts";
import { formatOverrides } from "#drivers/verl/format-overrides.ts";
import { RayJob } from "#drivers/verl/ray-job.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";

const AGENT_LOOPS = "agent_loops.yaml";

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
  const { target } = spec;
  const cluster = { name: `Ray at ${target.address}`, url: target.address };
  const startsProxies = spec.proxy.mode === "local";
  const loops = buildAgentLoops(
    run.id,
    spec,
    linksFrom(cluster, spec, { here, tokens: CARRIED_TOKENS }),
  );
  const workingDir = new Map<string, string | Uint8Array>([
    ...(await collectAdapter(ctx.config.root)),
    ...(startsProxies ? await collectProxy(ctx.config.dist) : []),
    [AGENT_LOOPS, loops],
    [CARRIED_TOKENS.runnerTokenPath, await readFile(here.runnerTokenPath, "utf8")],
  ]);
  if (!startsProxies)
    workingDir.set(CARRIED_TOKENS.workerTokenPath, await readFile(here.workerTokenPath, "utf8"));
  const at = places({ trainFiles: spec.data.train_files, valFiles: spec.data.val_files });
  const overrides = formatOverrides(spec, { ...at, agentLoops: AGENT_LOOPS }, resumePath);
  return new RayJob(ctx, {
    ...{ runId: run.id, attempt: run.attempt, files, target, workingDir },
    argv: beginArgv(spec, overrides),
    // Ray puts the working directory on PYTHONPATH by itself.
    env: clusterEnv(buildVerlEnv(spec, { adapter: "", metrics: files.metrics(run.attempt) })),
  });
}
