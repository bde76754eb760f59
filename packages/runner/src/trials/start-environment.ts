import { join } from "node:path";
import type { RunnerContext } from "#context.ts";
import { hostEnv } from "#env.ts";
import type { BakedPrograms, Sandbox, SandboxSpec } from "#sandboxes/sandbox.ts";
import { resolveEnv } from "#tasks/env-templates.ts";
import type { EnvironmentConfig, NetworkPolicy } from "#tasks/environment-config.ts";
import { TASK_FILE } from "#tasks/load-task.ts";
import type { VerifierEnvironment } from "#tasks/verifier-environment.ts";
import { type HarborAttempt, loadedOf, say, tellStage } from "#trials/harbor-attempt.ts";
import { TrialError } from "#trials/trial-error.ts";

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
  const { task, plan, step } = loadedOf(attempt);
  const { run } = attempt;
  const { program } = attempt.scaffold;
  const programs = program
    ? await ctx.programs.ensure(program, (text) => say(attempt, text))
    : null;
  return await ctx.sandboxes.create(
    sandboxSpec(attempt, {
      config: task.config.environment,
      table: "[environment].env",
      folder: task.environmentFolder,
      network: plan.network,
      programs,
      lifeS: run.rolloutTimeoutS + (step.verifier.timeoutS ?? run.rolloutTimeoutS) + SLACK_S,
    }),
    attempt.signal,
    (stage) => tellStage(attempt, stage),
  );
}

/** A sandbox that only the verifier has, started; with the limits of its own table, and no program of the agent's. */
export async function startVerifierEnvironment(
  ctx: Pick<RunnerContext, "sandboxes">,
  attempt: HarborAttempt,
  { config, folder }: VerifierEnvironment,
): Promise<Sandbox> {
  const { verifier } = loadedOf(attempt).step;
  return await ctx.sandboxes.create(
    sandboxSpec(attempt, {
      config,
      table: "the verifier's [environment].env",
      folder,
      network: verifier.startNetwork,
      programs: null,
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
  if (of.network.mode === "allowlist")
    throw new TrialError("AgentSetupError", "A sandbox can not have a list of allowed hosts.");
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
    network: of.network.mode,
    programs: of.programs,
    lifeS: of.lifeS,
  };
}
