import { join } from "node:path";
import type {
  CompletedSession,
  CompleteSession,
  OpenedSession,
  RegisterRun,
} from "@liverl/contract/proxy-admin";
import type { RunnerContext } from "#context.ts";
import type { Patience } from "#proxy-process/proxy-link.ts";
import { linkOfTrial } from "#sessions/link-of-session.ts";
import { takeTrajectory } from "#sessions/take-trajectory.ts";
import type { Trial } from "#trials/trial.ts";

/** The session that the agent of an attempt speaks to. */
export interface AttemptSession {
  /** `verifyS`: how long the verifier may take, while which the session must not expire. */
  open(given: { verifyS: number }): Promise<OpenedSession>;
  /** Freezes it; its files are in the trial's folder then. */
  complete(ending: CompleteSession, patience?: Patience): Promise<CompletedSession>;
}

/** Time that a session outlives its trial's deadline: outages of the proxy, a short verifier. */
const SESSION_SLACK_S = 600;
const CALLS_PER_TURN = 4;

/** At the runner's own proxy, or at that of the trainer's host. */
export function sessionAtProxy(
  ctx: Pick<RunnerContext, "config" | "log" | "proxy" | "trainerProxies" | "trials">,
  { run, trial, directory }: { run: RegisterRun; trial: Trial; directory: string },
): AttemptSession {
  const { request, change } = trial;
  const link = linkOfTrial(ctx, trial);
  const isTrainers = trial.proxy !== null;
  const root = join(ctx.config.dataDir, directory);
  return {
    open: async ({ verifyS }) => {
      const lifeS = run.rolloutTimeoutS + verifyS + SESSION_SLACK_S;
      return await link.openSession({
        sessionId: change.sessionId,
        poolId: request.runId,
        rolloutId: request.rolloutId,
        attempt: change.attempt,
        runId: request.runId,
        taskId: request.taskRef,
        groupId: request.groupId,
        step: request.step,
        mode: request.mode,
        sampling: request.sampling,
        outputs: request.outputs,
        ...(request.routedExperts && { routedExperts: true }),
        ...(run.templateValues && { templateValues: run.templateValues }),
        // Below the data of the proxy, whichever that is.
        directory: isTrainers ? directory : root,
        expiresAt: new Date(Date.now() + lifeS * 1_000).toISOString(),
        maxCalls: run.maxTurns * CALLS_PER_TURN,
      });
    },
    complete: async (ending, patience) => {
      const completed = await link.completeSession(change.sessionId, ending, patience);
      // From another machine they come to where all others lie.
      if (isTrainers) await takeTrajectory({ link, log: ctx.log }, change.sessionId, root);
      return completed;
    },
  };
}
