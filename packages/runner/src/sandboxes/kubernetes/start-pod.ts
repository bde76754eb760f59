import { setTimeout as sleep } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { BUSY_TRIES, retryAfterS } from "#sandboxes/kubernetes/kube-calls.ts";
import { codeOf, toKubeError } from "#sandboxes/kubernetes/kube-error.ts";
import type { PodFeed } from "#sandboxes/kubernetes/pod-feed.ts";
import {
  endFault,
  type PodStage,
  stageOf,
  startFault,
  waitsFor,
} from "#sandboxes/kubernetes/pod-state.ts";
import type { RateLimit } from "#sandboxes/kubernetes/rate-limit.ts";
import type { StartStage } from "#sandboxes/sandbox.ts";
import { TrialError } from "#trials/trial-error.ts";

/** How long an API server may be away before a start fails. */
const AWAY_MS = 90_000;
const ASK_AGAIN_MS = 1_000;
const PENDING_MS = 600_000;
const CREATING_MS = 120_000;
const PULL_MS = 600_000;
/** The feed may lag behind the answer to a create. */
const UNSEEN_MS = 60_000;

export interface StartPatience {
  /** Of the pull alone; null: 10 minutes. */
  pullTimeoutS: number | null;
  signal: AbortSignal;
  onStage?: ((stage: StartStage) => void) | undefined;
  /** Left out: all its containers run. */
  reached?: (pod: V1Pod) => boolean;
}

/** Has `make` make the pod in its turn; an API server that is away or overloaded is waited for, in a new turn. */
export async function createPod(
  make: () => Promise<unknown>,
  { server, rate, signal }: { server: string; rate: RateLimit; signal: AbortSignal },
): Promise<void> {
  let giveUpAt: number | null = null;
  for (let tries = 1; ; tries++) {
    await rate.take(signal);
    try {
      await make();
      return;
    } catch (error) {
      // Its name is ours alone: an answer got lost.
      if (codeOf(error) === 409) return;
      const fault = toKubeError(error, server, "create pods");
      giveUpAt ??= Date.now() + AWAY_MS;
      const isBusy = holdBackAsAsked(error, rate);
      const isOver = isBusy ? tries >= BUSY_TRIES : Date.now() > giveUpAt || !mayPass(fault, error);
      if (isOver) throw fault;
      if (!isBusy) await sleep(ASK_AGAIN_MS, undefined, { signal });
    }
  }
}

/** False where the server is not busy. */
function holdBackAsAsked(error: unknown, rate: RateLimit): boolean {
  const busyS = retryAfterS(error);
  if (busyS !== null) rate.holdBack(busyS * 1_000);
  return busyS !== null;
}

const mayPass = ({ exceptionType }: TrialError, error: unknown) =>
  exceptionType === "SandboxUnavailableError" && codeOf(error) !== 401;

/** The pod once it has come so far as `reached` says: to its containers, if that is left out. Throws why they will not, or what they waited for when a stage's time was over. */
export async function untilRunning(
  feed: PodFeed,
  name: string,
  { pullTimeoutS, signal, onStage, reached = (pod) => stageOf(pod) === "running" }: StartPatience,
): Promise<V1Pod> {
  const limits: Record<PodStage, number> = {
    pending: PENDING_MS,
    pulling: pullTimeoutS === null ? PULL_MS : pullTimeoutS * 1_000,
    creating: CREATING_MS,
    running: CREATING_MS,
  };
  const began = Date.now();
  let stage: PodStage = "pending";
  let since = began;
  let wasSeen = false;
  for (;;) {
    const pod = feed.get(name);
    if (!pod && wasSeen && feed.fault === null) throw endFault(null);
    wasSeen ||= pod !== null;
    if (!wasSeen) feed.doubt();
    if (pod) {
      const fault = startFault(pod, Date.now() - since);
      if (fault) throw fault;
      if (reached(pod)) return pod;
      const now = stageOf(pod);
      if (now !== stage) since = Date.now();
      stage = now;
      if (stage !== "running")
        onStage?.({ state: stage, deadline: new Date(since + limits[stage]) });
    }
    const limitMs = wasSeen ? limits[stage] : UNSEEN_MS;
    // Of a cluster that is not heard at present nothing is known that would tell against the pod.
    if (Date.now() - since > limitMs + Math.min(feed.stoodStillMs, AWAY_MS))
      throw new TrialError(
        "EnvironmentStartTimeoutError",
        `The sandbox ${name} was ${stage} for ${limitMs / 1_000} seconds: ${waitsFor(pod)}`,
      );
    await feed.news(name, ASK_AGAIN_MS, signal);
  }
}
