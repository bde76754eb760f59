import { join } from "node:path";
import type { RunnerContext } from "#context.ts";
import { hostEnv } from "#env.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { resolveEnv } from "#tasks/env-templates.ts";
import { TASK_FILE } from "#tasks/load-task.ts";
import { type HarborAttempt, loadedOf, say } from "#trials/harbor-attempt.ts";
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
  const { run, trial, signal } = attempt;
  const { docker_image: image, env, workdir, cpus, memory_mb: memoryMb } = task.config.environment;
  if (plan.network.mode === "allowlist")
    throw new TrialError("AgentSetupError", "A sandbox can not have a list of allowed hosts.");
  const { program } = attempt.scaffold;
  const programs = program
    ? await ctx.programs.ensure(program, (text) => say(attempt, text))
    : null;
  return await ctx.sandboxes.create(
    {
      runId: trial.request.runId,
      trialId: trial.request.rolloutId,
      attempt: trial.change.attempt,
      image:
        image === null
          ? { kind: "build", folder: task.environmentFolder }
          : { kind: "pull", name: image },
      buildTimeoutS: plan.buildTimeoutS,
      env: { ...taskEnv(attempt, env, "[environment].env"), TEST_DIR: "/tests" },
      workdir,
      cpus,
      memoryMb,
      network: plan.network.mode,
      programs,
      lifeS: run.rolloutTimeoutS + (step.verifier.timeoutS ?? run.rolloutTimeoutS) + SLACK_S,
    },
    signal,
  );
}
