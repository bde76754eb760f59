import type { RunnerContext } from "#context.ts";
import { JournalRecord } from "#trials/journal-record.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { isFinished, newTrial, sessionIdOf, type Trial } from "#trials/trial.ts";

type Restorable = Pick<RunnerContext, "journal" | "feed" | "runs" | "trials" | "outsideSessions">;

/** Rebuilds runs, trials and sessions from the journal. */
export async function restoreTrials(ctx: Restorable): Promise<void> {
  for await (const { seq, record } of ctx.journal.replay()) {
    const entry = JournalRecord.parse(record);
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
    }
  }
}

/**
 * Makes ready again what an earlier life left unfinished. A trial that was running starts over as a new attempt, once its
 * asker asks again: a trainer that fell back to a checkpoint has other weights on the engines until then. What belongs to
 * no run any more is cancelled.
 */
export async function requeueTrials(
  ctx: Pick<RunnerContext, "journal" | "feed" | "runs" | "trials">,
): Promise<void> {
  const requeue = async (trial: Trial) => {
    const registered = ctx.runs.get(trial.request.runId);
    const { change } = trial;
    if (!registered) {
      await moveTrial(ctx, trial, "cancelled", {
        termination: "cancelled",
        endedAt: new Date().toISOString(),
      });
      return;
    }
    if (change.status === "running") {
      const attempt = change.attempt + 1;
      await moveTrial(ctx, trial, "queued", {
        attempt,
        sessionId: sessionIdOf(change.rolloutId, attempt),
        startedAt: null,
      });
    }
  };
  await Promise.all([...ctx.trials.values()].filter((trial) => !isFinished(trial)).map(requeue));
}
