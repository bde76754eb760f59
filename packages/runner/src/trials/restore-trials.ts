import type { RunnerContext } from "#context.ts";
import { JournalRecord } from "#trials/journal-record.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { isFinished, newTrial, sessionIdOf, type Trial } from "#trials/trial.ts";
import { TrialError, toRolloutError } from "#trials/trial-error.ts";

/** One that ends the runner each time is given up; those beside it are not to blame for it once. */
const MAX_RUNNER_DEATHS = 3;

type Restorable = Pick<RunnerContext, "journal" | "feed" | "runs" | "trials" | "outsideSessions">;

/** Rebuilds runs, trials and sessions from the journal. Tells whether the earlier life was told to end. */
export async function restoreTrials(ctx: Restorable): Promise<{ wasClosed: boolean }> {
  let wasClosed = false;
  for await (const { seq, record } of ctx.journal.replay()) {
    const entry = JournalRecord.parse(record);
    wasClosed = entry.kind === "closed";
    switch (entry.kind) {
      case "run":
        ctx.runs.delete(entry.runId);
        ctx.runs.set(entry.runId, {
          runId: entry.runId,
          run: entry.run,
          queue: [],
          running: new Set(),
        });
        break;
      case "run-removed":
        ctx.runs.delete(entry.runId);
        break;
      case "accepted":
        ctx.trials.set(entry.request.rolloutId, newTrial(entry.request, entry.change));
        ctx.feed.publish(entry.change, seq);
        break;
      case "change": {
        const trial = ctx.trials.get(entry.change.rolloutId);
        if (trial) trial.change = entry.change;
        if (trial && entry.diedWithRunner) trial.runnerDeaths++;
        ctx.feed.publish(entry.change, seq);
        break;
      }
      case "session-opened":
        ctx.outsideSessions.set(entry.sessionId, {
          runId: entry.runId,
          taskId: entry.taskId,
          directory: entry.directory,
          openedAt: entry.at,
          completedAt: null,
          path: null,
          outcome: null,
        });
        break;
      case "session-completed": {
        const session = ctx.outsideSessions.get(entry.sessionId);
        const { path, outcome, at: completedAt } = entry;
        if (session) Object.assign(session, { path, outcome, completedAt });
        break;
      }
      case "closed":
        break;
    }
  }
  return { wasClosed };
}

/**
 * Makes ready again what an earlier life left unfinished. A trial that was running starts over as a new attempt, once its
 * asker asks again: a trainer that fell back to a checkpoint has other weights on the engines until then. What belongs to
 * no run any more is cancelled, and so is given up what ran each time that the runner died.
 */
export async function requeueTrials(
  ctx: Pick<RunnerContext, "journal" | "feed" | "runs" | "trials">,
  { wasClosed }: { wasClosed: boolean },
): Promise<void> {
  const requeue = async (trial: Trial) => {
    const { change } = trial;
    const endedAt = new Date().toISOString();
    if (!ctx.runs.has(trial.request.runId)) {
      await moveTrial(ctx, trial, "cancelled", { termination: "cancelled", endedAt });
      return;
    }
    if (change.status !== "running") return;
    if (!wasClosed) trial.runnerDeaths++;
    const because = wasClosed ? {} : ({ diedWithRunner: true } as const);
    if (trial.runnerDeaths >= MAX_RUNNER_DEATHS) {
      const error = toRolloutError(diedTooOften(trial.runnerDeaths));
      const end = { error, termination: "infra-error", endedAt } as const;
      await moveTrial(ctx, trial, "failed", end, because);
      return;
    }
    const attempt = change.attempt + 1;
    const sessionId = sessionIdOf(change.rolloutId, attempt);
    await moveTrial(ctx, trial, "queued", { attempt, sessionId, startedAt: null }, because);
  };
  await Promise.all([...ctx.trials.values()].filter((trial) => !isFinished(trial)).map(requeue));
}

const diedTooOften = (times: number) =>
  new TrialError(
    "RunnerDiedError",
    `The runner died ${times} times while this trial ran, which may be why: its log says more. The trial is given up.`,
  );
