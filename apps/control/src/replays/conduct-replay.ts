import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { AskedEngine } from "@liverl/contract/engine-question";
import { hash32 } from "@liverl/contract/random";
import {
  isReplayOver,
  ReplaySampling,
  ReplayStatus,
  ReplayWeights,
  replayRequest,
} from "@liverl/contract/replay";
import type { Replay } from "@liverl/prisma/client";
import { placeOfEngine, type Resolve } from "#alerts/webhooks/webhook-guard.ts";
import type { Context } from "#context.ts";
import type { ProxyClient } from "#data-plane/proxy-client.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { moveReplay } from "#replays/move-replay.ts";
import type { ReplayEngine } from "#replays/replay-engine.ts";
import { openReplaySource, type ReplaySource } from "#replays/replay-source.ts";

const LOOK_MS = 500;
const A_MINUTE_MS = 60_000;

export interface ReplayTools {
  proxy: ProxyClient;
  engine: ReplayEngine;
  /** Of one replay from its first request on: an engine that never ends must not hold up who waits for it. */
  limitMs: number;
  resolve?: Resolve;
}

/**
 * Brings one replay to its end, within its limit. May be called again after a restart of control: completions that are there
 * stay, and the others are sampled with the same seeds. Rejects when `signal` fires.
 */
export async function conductReplay(
  ctx: Context,
  id: string,
  tools: ReplayTools,
  signal: AbortSignal,
): Promise<void> {
  await moveReplay(ctx, id, "sampling");
  const row = await ctx.db.replay.findUnique({ where: { id }, select: { status: true } });
  if (!row || isReplayOver(ReplayStatus.parse(row.status))) return;
  const over = new AbortController();
  const cancelled = new AbortController();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), tools.limitMs);
  const watching = watchForEnd(ctx, id, cancelled, over.signal);
  const any = AbortSignal.any([signal, cancelled.signal, late.signal]);
  try {
    await sampleAll(ctx, id, tools, any);
    await moveReplay(ctx, id, "done");
  } catch (error) {
    signal.throwIfAborted();
    // The database went away: the next look takes the replay up again.
    if (isDatabaseAway(error)) throw error;
    if (cancelled.signal.aborted) return;
    if (late.signal.aborted)
      return void (await moveReplay(ctx, id, "failed", tooLate(tools.limitMs)));
    if (!(error instanceof AppError)) ctx.log.error({ err: error, id }, "a replay failed");
    await moveReplay(ctx, id, "failed", await wordsOf(ctx, id, error));
  } finally {
    clearTimeout(timer);
    over.abort();
    await watching;
  }
}

const tooLate = (limitMs: number) =>
  `The engine was not done after ${Number((limitMs / A_MINUTE_MS).toFixed(2))} minutes: ask for fewer or shorter completions, or choose another engine.`;

async function wordsOf(ctx: Context, id: string, error: unknown): Promise<string> {
  if (!(error instanceof AppError)) return "The control log has the details.";
  const { weights } = await ctx.db.replay.findUniqueOrThrow({ where: { id } });
  const asked = ReplayWeights.safeParse(weights).data;
  // The proxy speaks of pools there; a run's engines end when another run begins.
  const isGone = error.code === "NOT_FOUND" || error.code === "UNAVAILABLE";
  return asked?.kind === "live" && isGone
    ? `${asked.runId} has no engines here now: choose a checkpoint, or an engine by its address.`
    : error.userMessage;
}

async function sampleAll(
  ctx: Context,
  id: string,
  { proxy, engine, resolve }: ReplayTools,
  signal: AbortSignal,
): Promise<void> {
  const row = await ctx.db.replay.findUniqueOrThrow({
    where: { id },
    include: { samples: { select: { index: true } } },
  });
  const source = await openSameSource(ctx, row);
  const weights = ReplayWeights.parse(row.weights);
  const asked = await engineOf(weights, { engine, resolve, signal });
  const there = new Set(row.samples.map(({ index }) => index));
  const missing = Array.from({ length: row.n }, (_, index) => index).filter((i) => !there.has(i));
  const failing = new AbortController();
  const any = AbortSignal.any([signal, failing.signal]);
  const work = [
    ...missing.map((index) => sampleOne(ctx, row, { source, asked, index, proxy, signal: any })),
    scoreOriginal(ctx, row, { source, asked, proxy, signal: any }),
  ];
  const done = await Promise.allSettled(
    work.map((one) =>
      one.catch((error: unknown) => {
        failing.abort();
        throw error;
      }),
    ),
  );
  engine.touch();
  const failed = done.filter((one) => one.status === "rejected").map(({ reason }) => reason);
  // What failed first ended the others.
  const first = failed.find((reason) => reason instanceof AppError) ?? failed[0];
  if (first !== undefined) throw first;
}

async function engineOf(
  weights: ReplayWeights,
  { engine, resolve, signal }: Pick<ReplayTools, "engine" | "resolve"> & { signal: AbortSignal },
): Promise<AskedEngine> {
  if (weights.kind === "checkpoint") return engine.serve(weights, signal);
  if (weights.kind === "live") return { poolId: weights.runId };
  const { url, api } = weights;
  // The name may lead elsewhere than when the replay was asked for: what is checked now is what the proxy connects to.
  const address = await placeOfEngine(new URL(url), resolve);
  return { url, api, keyPath: null, address };
}

/** The record must still hold what was asked about: the prompt's digest says so. */
async function openSameSource(ctx: Context, row: Replay): Promise<ReplaySource> {
  const source = await openReplaySource(ctx, row);
  if (source.promptSha256 === row.promptSha256 && source.node.id === row.nodeId) return source;
  throw new AppError("CONFLICT", {
    userMessage: "The rollout's record has changed since: start another replay.",
  });
}

interface Asking {
  source: ReplaySource;
  asked: AskedEngine;
  proxy: ProxyClient;
  signal: AbortSignal;
}

async function sampleOne(
  ctx: Context,
  row: Replay,
  { source, asked, proxy, signal, index }: Asking & { index: number },
): Promise<void> {
  const sampled = await proxy.sample(
    {
      engine: asked,
      name: replayRequest(row.id, index),
      cacheSalt: `replay.${row.id}`,
      promptIds: source.promptIds,
      sampling: {
        ...ReplaySampling.parse(row.sampling),
        seed: hash32(`replay|${row.id}|${index}`),
      },
    },
    AbortSignal.any([signal]),
  );
  const { tokenIds, logprobs, policyVersions, stopReason, requestIds, flaw } = sampled;
  await ctx.db.replaySample.createMany({
    data: [
      {
        ...{ replayId: row.id, index, requestIds, tokenIds, logprobs, stopReason, flaw },
        versions: policyVersions,
      },
    ],
    skipDuplicates: true,
  });
}

/** What the chosen weights give for the original: worth knowing, and no reason to fail where the engine can not say. */
async function scoreOriginal(
  { db }: Context,
  row: Replay,
  { source, asked, proxy, signal }: Asking,
): Promise<void> {
  const { node, promptIds, sampling } = source;
  if (row.scores !== null || node.tokenIds.length === 0) return;
  try {
    const { logprobs } = await proxy.score(
      {
        ...{ engine: asked, name: replayRequest(row.id, "score"), from: promptIds.length },
        promptIds: [...promptIds, ...node.tokenIds],
        // A greedy choice has no distribution of its own.
        temperature: sampling.temperature > 0 ? sampling.temperature : 1,
      },
      AbortSignal.any([signal]),
    );
    await db.replay.update({ where: { id: row.id }, data: { scores: logprobs, scoreFault: null } });
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    await db.replay.update({ where: { id: row.id }, data: { scoreFault: error.userMessage } });
  }
}

/** Aborts `cancelled` once somebody else has ended it. */
async function watchForEnd(
  { db }: Pick<Context, "db">,
  id: string,
  cancelled: AbortController,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const row = await db.replay
      .findUnique({ where: { id }, select: { status: true } })
      // The database is away: the next look asks again.
      .catch(() => null);
    if (row && isReplayOver(ReplayStatus.parse(row.status))) return cancelled.abort();
    await sleep(LOOK_MS, undefined, { signal: over }).catch(() => undefined);
  }
}
