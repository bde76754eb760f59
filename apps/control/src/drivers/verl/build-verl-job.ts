import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import type { Run } from "@liverl/prisma/client";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Config } from "#config.ts";
import type { Context } from "#context.ts";
import { linksHere } from "#drivers/verl/adapter-links.ts";
import { buildAgentLoops } from "#drivers/verl/build-agent-loops.ts";
import { buildKubeRayJob } from "#drivers/verl/build-kuberay-job.ts";
import { buildRayJob } from "#drivers/verl/build-ray-job.ts";
import { buildVerlEnv } from "#drivers/verl/build-verl-env.ts";
import { VERL_MODULES, type VerlPlaces } from "#drivers/verl/build-verl-overrides.ts";
import { checkVerlConfig } from "#drivers/verl/check-verl-config.ts";
import { ADAPTER, STAND_ALONE_PROXY } from "#drivers/verl/collect-adapter.ts";
import { ensureVenv } from "#drivers/verl/ensure-venv.ts";
import { formatOverrides } from "#drivers/verl/format-overrides.ts";
import type { VerlJob } from "#drivers/verl/job-state.ts";
import { localJob } from "#drivers/verl/local-job.ts";
import { scanHarbor } from "#drivers/verl/scan-harbor.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { beginningOf } from "#forks/find-origin.ts";

/** An attempt's job on its target, with the files that it reads in place. */
export async function buildVerlJob(
  ctx: Context,
  run: Pick<Run, "id" | "attempt" | "resumeFrom">,
  spec: VerlSpec,
  files: VerlFiles,
): Promise<VerlJob> {
  const { config } = ctx;
  const { attempt } = run;
  await mkdir(files.logs, { recursive: true });
  const here = await linksHere(config.dataDir);
  const proxyBundle = join(config.dist, STAND_ALONE_PROXY);
  const links =
    spec.proxy.mode === "local" ? { ...here, proxyBundle, node: process.execPath } : here;
  await writeFileAtomic(files.agentLoops, buildAgentLoops(run.id, spec, links));
  const resumePath = await resumePathOf(config, run, spec, files);
  const places = (data: Pick<VerlPlaces, "trainFiles" | "valFiles">): VerlPlaces => ({
    agentLoops: files.agentLoops,
    checkpoints: files.checkpoints,
    rolloutDumps: files.rolloutDumps,
    validationDumps: files.validationDumps,
    hydra: files.hydra(attempt),
    ...data,
  });
  if (spec.driver === "ray-job")
    return buildRayJob(ctx, run, spec, { files, here, places, resumePath });
  if (spec.driver === "kuberay")
    return buildKubeRayJob(ctx, run, spec, { files, here, places, resumePath });
  const adapter = join(config.root, ADAPTER);
  const env = {
    ...buildVerlEnv(spec, { adapter, metrics: files.metrics(attempt) }),
    // A cluster that verl starts asks for a token; without this Ray would write one into the home folder.
    RAY_AUTH_TOKEN: await loadOrCreateToken(files.rayToken),
  };
  const { target } = spec;
  return localJob(config, {
    ...{ runId: run.id, attempt, files },
    prepare: async (progress, signal) => {
      const { version } = spec.verl;
      const logPath = files.log("venv");
      const venv =
        target.venv ??
        (await ensureVenv(config, { version, python: target.python, logPath }, progress, signal));
      const python = await interpreterOf(venv);
      progress("reads the datasets");
      const out = join(config.dataDir, "datasets");
      const data = await scanHarbor(spec, { python, adapter, out });
      const overrides = formatOverrides(spec, places(data), resumePath);
      const mode = spec.algorithm.trainer_mode;
      progress("verl checks its config");
      await checkVerlConfig(python, { mode, overrides, env }, signal);
      return { python, env, argv: ["-m", VERL_MODULES[mode], ...overrides] };
    },
  });
}

async function interpreterOf(venv: string): Promise<string> {
  const python = join(venv, "bin/python");
  await access(python).catch((cause: unknown) => {
    throw new AppError("BAD_REQUEST", {
      userMessage: `There is no Python environment at ${venv}: ${python} can not be run.`,
      cause,
    });
  });
  return python;
}

/**
 * A step to resume from is a folder of the run's checkpoints; `latest` is verl's own `auto`, but in a fork, whose spec
 * names its parent's: there it is the newest that the fork has written itself.
 */
async function resumePathOf(
  { dataDir }: Pick<Config, "dataDir">,
  { id, resumeFrom }: Pick<Run, "id" | "resumeFrom">,
  spec: VerlSpec,
  files: VerlFiles,
): Promise<string | null> {
  const step = Number(resumeFrom ?? Number.NaN);
  if (!Number.isInteger(step)) {
    if (beginningOf(spec)?.how !== "resume") return null;
    const own = await findCheckpoints(dataDir, id);
    return own.findLast(({ complete }) => complete)?.path ?? null;
  }
  const path = join(files.checkpoints, `global_step_${step}`);
  await access(path).catch((cause: unknown) => {
    throw new AppError("CONFLICT", {
      userMessage: `The checkpoint of step ${step} is gone: ${path}.`,
      cause,
    });
  });
  return path;
}
