import { basename } from "node:path";
import type { SandboxTrial } from "@liverl/contract/sandbox";
import type { RunnerContext } from "#context.ts";
import type { InSandbox, Trial } from "#trials/trial.ts";

/** Trials that have a sandbox or wait for it, the oldest attempt first. */
export function listSandboxTrials({ runs }: Pick<RunnerContext, "runs">): SandboxTrial[] {
  const trials = [...runs.values()].flatMap(({ running }) =>
    [...running].flatMap((trial) =>
      trial.inSandbox === null ? [] : viewSandboxTrial(trial, trial.inSandbox),
    ),
  );
  return trials.sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

function viewSandboxTrial({ request, change }: Trial, now: InSandbox): SandboxTrial {
  const since = now.since.toISOString();
  return {
    rolloutId: request.rolloutId,
    runId: request.runId,
    taskName: basename(request.taskRef),
    attempt: change.attempt,
    agent: now.agent,
    sandbox: now.sandbox?.name ?? null,
    runner: now.runner,
    phase: now.phase,
    step: now.step,
    state: now.state,
    since,
    startedAt: change.startedAt ?? since,
    deadlineAt: now.deadline?.toISOString() ?? null,
    image: now.sandbox?.facts.image ?? null,
    place: now.sandbox?.facts.place ?? null,
    cpus: now.sandbox?.facts.cpus ?? null,
    memoryMb: now.sandbox?.facts.memoryMb ?? null,
    shells: now.shells.open,
  };
}
