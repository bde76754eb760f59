import { join } from "node:path";
import type { EnvironmentConfig, NetworkPolicy } from "@liverl/durable/tasks/environment-config";
import { TASK_FILE } from "@liverl/durable/tasks/find-tasks";
import type { RunnerContext } from "#context.ts";
import { hostEnv } from "#env.ts";
import type { BakedPrograms, Sandbox, SandboxSpec } from "#sandboxes/sandbox.ts";
import { resolveEnv } from "#tasks/env-templates.ts";
import type { TaskPlan } from "#tasks/plan-task.ts";
import type { VerifierEnvironment } from "#tasks/verifier-environment.ts";
import {
  type HarborAttempt,
  loadedOf,
  type StepRun,
  say,
  tellStage,
} from "#trials/harbor-attempt.ts";

/** Building, copying and cleaning around the agent and the verifier. */
const SLACK_S = 900;

/** `[…].env` of the task with its templates filled in; what came from this host is kept out of every file. */
export function taskEnv(
  attempt: HarborAttempt,
  env: Readonly<Record<string, string>>,
  table: string,
): Record<string, string> {
  const resolved = resolveEnv(env, hostEnv, `${join(attempt.folder, TASK_FILE)}: ${table}`);
  for (const [name, value] of Object.entries(resolved))
    if (env[name] !== value) attempt.secrets.push(value);
  return resolved;
}

/** The task's sandbox, started. */
export async function startEnvironment(
  ctx: Pick<RunnerContext, "sandboxes" | "programs">,
  attempt: HarborAttempt,
): Promise<Sandbox> {
  const { task, plan } = loadedOf(attempt);
  const { run } = attempt;
  const { program } = attempt.scaffold;
  const programs = program
    ? await ctx.programs.ensure(program, (text) => say(attempt, text))
    : await helperFor(ctx, plan.network);
  return await ctx.sandboxes.create(
    sandboxSpec(attempt, {
      config: task.config.environment,
      table: "[environment].env",
      folder: task.environmentFolder,
      network: plan.network,
      programs,
      lifeS: run.rolloutTimeoutS + besidesAgentS(plan, run.rolloutTimeoutS) + SLACK_S,
    }),
    attempt.signal,
    (stage) => tellStage(attempt, stage),
  );
}

/** A list of hosts is kept by a helper in the sandbox. */
const helperFor = async ({ programs }: Pick<RunnerContext, "programs">, { mode }: NetworkPolicy) =>
  mode === "allowlist" ? await programs.ensureHelper() : null;

/** How long, in seconds, set-up and verifiers of all steps may take; `elseS` counts where something has no limit. */
export function besidesAgentS({ steps, buildTimeoutS }: TaskPlan, elseS: number): number {
  const buildS = buildTimeoutS ?? elseS;
  return steps.reduce((sum, { verifier, verifierEnvironment, workdirFolder }) => {
    const builds = (verifierEnvironment ? 1 : 0) + (workdirFolder === null ? 0 : 1);
    return sum + (verifier.timeoutS ?? elseS) + builds * buildS;
  }, 0);
}

/** A sandbox that only the verifier has, started; with the limits of its own table, and no program of the agent's. */
export async function startVerifierEnvironment(
  ctx: Pick<RunnerContext, "sandboxes" | "programs">,
  attempt: HarborAttempt,
  { step: { verifier } }: StepRun,
  { config, folder }: VerifierEnvironment,
): Promise<Sandbox> {
  return await ctx.sandboxes.create(
    sandboxSpec(attempt, {
      config,
      table: "the verifier's [environment].env",
      folder,
      network: verifier.startNetwork,
      programs: await helperFor(ctx, verifier.startNetwork),
      lifeS: (verifier.timeoutS ?? attempt.run.rolloutTimeoutS) + SLACK_S,
    }),
    attempt.signal,
    (stage) => tellStage(attempt, stage),
  );
}

function sandboxSpec(
  attempt: HarborAttempt,
  of: {
    config: EnvironmentConfig;
    /** Of its `env`, for people. */
    table: string;
    /** What its image is built from, where it names none. */
    folder: string;
    network: NetworkPolicy;
    programs: BakedPrograms | null;
    lifeS: number;
  },
): SandboxSpec {
  const { docker_image: image, env, workdir, cpus, memory_mb: memoryMb } = of.config;
  const { request, change } = attempt.trial;
  const { mode, allowedHosts } = of.network;
  return {
    runId: request.runId,
    trialId: request.rolloutId,
    attempt: change.attempt,
    image: image === null ? { kind: "build", folder: of.folder } : { kind: "pull", name: image },
    buildTimeoutS: loadedOf(attempt).plan.buildTimeoutS,
    env: { ...taskEnv(attempt, env, of.table), TEST_DIR: "/tests" },
    workdir,
    cpus,
    memoryMb,
    network: mode === "public" ? "public" : "no-network",
    allowedHosts: mode === "allowlist" ? allowedHosts : null,
    programs: of.programs,
    lifeS: of.lifeS,
  };
}
