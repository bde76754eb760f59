import { basename } from "node:path";
import type { SandboxTrial } from "@liverl/contract/rollout";
import type { RunnerContext } from "#context.ts";

/** Trials that have a sandbox or wait for it, the oldest attempt first. */
export function listSandboxTrials({ runs }: Pick<RunnerContext, "runs">): SandboxTrial[] {
  const trials = [...runs.values()].flatMap(({ runId, running }) =>
    [...running].flatMap(({ request, change, inSandbox }) =>
      inSandbox === null
        ? []
        : {
            rolloutId: request.rolloutId,
            runId,
            taskName: basename(request.taskRef),
            attempt: change.attempt,
            agent: inSandbox.agent,
            sandbox: inSandbox.sandbox,
            runner: inSandbox.runner,
            phase: inSandbox.phase,
            step: inSandbox.step,
            since: inSandbox.since.toISOString(),
            startedAt: change.startedAt ?? inSandbox.since.toISOString(),
          },
    ),
  );
  return trials.sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}
