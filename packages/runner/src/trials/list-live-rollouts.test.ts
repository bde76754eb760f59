import type { SessionProgress } from "@liverl/contract/live-rollout";
import type { RolloutRequest, TrialChange } from "@liverl/contract/rollout";
import { expect, test } from "vitest";
import type { RunnerContext } from "#context.ts";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";
import { listLiveRollouts } from "#trials/list-live-rollouts.ts";
import { newTrial, type Trial } from "#trials/trial.ts";

const at = (s: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, s)).toISOString();

function trial(id: string, change: Partial<TrialChange>, atWork: Trial["atWork"] = null): Trial {
  const request = { rolloutId: id, runId: "run" } as RolloutRequest;
  const base = { sessionId: `${id}-a1`, attempt: 1, status: "running", queuedAt: at(0) };
  const made = newTrial(request, { ...base, startedAt: at(1), ...change } as TrialChange);
  return Object.assign(made, { atWork });
}
const working = (phase: NonNullable<Trial["atWork"]>["phase"], s: number) => ({
  ...{ phase, since: new Date(at(s)) },
});
const progress = (change: Partial<SessionProgress>): SessionProgress => ({
  ...{ turns: 2, tokensSampled: 30, tokensTotal: 300, isGenerating: false },
  ...{ since: at(8), lastSignAt: at(9), ...change },
});

function contextOf(
  running: readonly Trial[],
  queue: readonly Trial[],
  listSessions: () => Promise<unknown[]>,
): RunnerContext {
  const proxy = { listSessions } as unknown as ProxyLink;
  const run = { runId: "run", running: new Set(running), queue: [...queue] };
  return { runs: new Map([["run", run]]), proxy } as unknown as RunnerContext;
}

test("each stage is told with what the proxy knows, by one question for all", async () => {
  let asked = 0;
  const ctx = contextOf(
    [
      trial("making", {}, working("environment", 2)),
      trial("first", {}, working("agent", 3)),
      trial("samples", {}, working("agent", 3)),
      trial("works", {}, working("agent", 3)),
      trial("judged", {}, working("verifier", 20)),
      trial("waits", { status: "queued", startedAt: null }),
    ],
    [trial("queued", { status: "queued", startedAt: null })],
    async () => {
      asked += 1;
      return [
        {
          sessionId: "samples-a1",
          rolloutId: "samples",
          progress: progress({ isGenerating: true }),
        },
        { sessionId: "works-a1", rolloutId: "works", progress: progress({}) },
        { sessionId: "judged-a1", rolloutId: "judged", progress: progress({}) },
        { sessionId: "first-a1", rolloutId: "first", progress: progress({ lastSignAt: null }) },
      ];
    },
  );
  const found = (await listLiveRollouts(ctx)).map((one) => [
    ...[one.rolloutId, one.stage, one.turns, one.since, one.lastSignAt],
  ]);
  expect(asked).toBe(1);
  expect(found).toEqual([
    ["making", "environment", null, at(2), at(2)],
    ["first", "agent", 2, at(3), at(3)],
    ["samples", "generate", 2, at(8), at(9)],
    ["works", "tool", 2, at(8), at(9)],
    ["judged", "verify", 2, at(20), at(20)],
    ["waits", "queued", null, at(0), at(0)],
    ["queued", "queued", null, at(0), at(0)],
  ]);
});

test("a proxy that does not answer leaves the agent's stage, and counts that are not known", async () => {
  const ctx = contextOf([trial("a", {}, working("agent", 3))], [], async () => {
    throw new Error("away");
  });
  expect(await listLiveRollouts(ctx)).toMatchObject([
    { stage: "agent", turns: null, tokensSampled: null, tokensTotal: null, lastSignAt: at(3) },
  ]);
});
