import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RegisterRun } from "@liverl/contract/proxy-admin";
import type { TrialChange } from "@liverl/contract/rollout";
import { type Journal, openJournal } from "@liverl/durable/journal";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunnerContext } from "#context.ts";
import { moveTrial } from "#trials/move-trial.ts";
import { requeueTrials, restoreTrials } from "#trials/restore-trials.ts";
import { TrialFeedLog } from "#trials/trial-feed.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "liverl-restore-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = RegisterRun.parse({
  project: "p",
  pool: {
    relay: true,
    engines: [],
    engineKeyPath: null,
    modelDir: "/m",
    modelName: "m",
    maxModelLen: 1_024,
  },
  concurrency: 1,
  maxTurns: 1,
  rolloutTimeoutS: 60,
  agent: "oracle",
});
const request = {
  ...{ rolloutId: "r1", runId: "run", groupId: "g", taskRef: "repair/1", mode: "train" },
  ...{ step: 1, sampling: { temperature: 1, max_tokens: 8 }, outputs: "all", routedExperts: false },
} as const;
const change: TrialChange = {
  ...{ cursor: 1, rolloutId: "r1", sessionId: "r1-a1", runId: "run", groupId: "g", taskId: "t" },
  ...{ taskName: "t", mode: "train", step: 1, attempt: 1, status: "queued", reward: null },
  ...{ termination: null, error: null, turns: 0, tokensSampled: 0, tokensTotal: 0 },
  ...{
    versionSpan: null,
    truncated: false,
    keptSegments: 0,
    untrained: null,
    routingCoverage: null,
    timings: null,
  },
  ...{ flags: [], queuedAt: "2026-01-01T00:00:00.000Z", startedAt: null, endedAt: null },
  directory: null,
};

/** One life of a runner that has the trial at work when it ends; says what the next life finds of it. */
async function live(ending: "killed" | "closed"): Promise<TrialChange> {
  const journal: Journal = await openJournal({ directory });
  const ctx = {
    ...{ journal, feed: new TrialFeedLog(journal), runs: new Map(), trials: new Map() },
    outsideSessions: new Map(),
  } satisfies Partial<RunnerContext>;
  await requeueTrials(ctx, await restoreTrials(ctx));
  if (!ctx.trials.has("r1")) {
    await journal.append({ kind: "run", runId: "run", run, at: "" });
    await journal.append({ kind: "accepted", request, change });
    await restoreTrials(ctx);
  }
  const trial = ctx.trials.get("r1");
  const found = trial.change;
  if (found.status === "queued") await moveTrial(ctx, trial, "running", {});
  if (ending === "closed") await journal.append({ kind: "closed", at: "" });
  await journal.close();
  return found;
}

it("starts a trial over as a new attempt, and gives up one that ran whenever the runner died", async () => {
  expect(await live("killed")).toMatchObject({ status: "queued", attempt: 1 });
  expect(await live("killed")).toMatchObject({ status: "queued", attempt: 2 });
  expect(await live("killed")).toMatchObject({ status: "queued", attempt: 3 });
  expect(await live("killed")).toMatchObject({
    ...{ status: "failed", attempt: 3, reward: null, termination: "infra-error" },
    error: { exception_type: "RunnerDiedError" },
  });
});

it("holds no end against a trial that the runner was told to have", async () => {
  for (const attempt of [1, 2, 3, 4, 5])
    expect(await live("closed")).toMatchObject({ status: "queued", attempt });
});
