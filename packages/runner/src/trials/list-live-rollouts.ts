import type { LiveRollout, RolloutStage, SessionProgress } from "@liverl/contract/live-rollout";
import type { SandboxPhase } from "@liverl/contract/rollout";
import type { RunnerContext } from "#context.ts";
import type { ProxyLink } from "#proxy-process/proxy-link.ts";
import { linkOfTrial } from "#sessions/link-of-session.ts";
import type { Trial } from "#trials/trial.ts";

/** A proxy that is away is asked again with the next look. */
const PATIENCE_MS = 500;

/** Rollouts that run or wait, each with how far it has come. One question to each proxy, however many rollouts there are. */
export async function listLiveRollouts(ctx: RunnerContext): Promise<LiveRollout[]> {
  const runs = [...ctx.runs.values()];
  const running = runs.flatMap((run) => [...run.running]);
  const links = new Map<ProxyLink, Promise<Map<string, SessionProgress>>>();
  const live = running.map(async (trial) => {
    const link = linkOfTrial(ctx, trial);
    const asked = links.get(link) ?? progressOf(link);
    links.set(link, asked);
    return viewLive(trial, (await asked).get(trial.change.sessionId) ?? null);
  });
  const waiting = runs.flatMap(({ queue }) => queue.map((trial) => viewLive(trial, null)));
  return [...(await Promise.all(live)), ...waiting];
}

async function progressOf(link: ProxyLink): Promise<Map<string, SessionProgress>> {
  const sessions = await link.listSessions({ patienceMs: PATIENCE_MS }).catch(() => []);
  return new Map(
    sessions.flatMap(({ sessionId, progress }) => (progress ? [[sessionId, progress]] : [])),
  );
}

const STAGES = {
  environment: "environment",
  agent: "agent",
  verifier: "verify",
  end: "ending",
} as const satisfies Record<SandboxPhase, RolloutStage>;

function viewLive(trial: Trial, progress: SessionProgress | null): LiveRollout {
  const { request, change } = trial;
  const { stage, since } = stageOf(trial, progress);
  const signs = [since, progress?.lastSignAt ?? null].filter((at) => at !== null).sort();
  return {
    ...{ rolloutId: request.rolloutId, runId: request.runId, attempt: change.attempt },
    ...{ stage, since, lastSignAt: signs.at(-1) ?? null },
    turns: progress?.turns ?? null,
    tokensSampled: progress?.tokensSampled ?? null,
    tokensTotal: progress?.tokensTotal ?? null,
    sandbox: trial.inSandbox?.sandbox?.name ?? null,
  };
}

function stageOf(
  { change, inSandbox, atWork }: Trial,
  progress: SessionProgress | null,
): { stage: RolloutStage; since: string | null } {
  const now = inSandbox ?? atWork;
  if (change.status === "queued") return { stage: "queued", since: change.queuedAt };
  if (!now) return { stage: "environment", since: change.startedAt };
  const began = now.since.toISOString();
  const hasCalled = progress !== null && progress.lastSignAt !== null;
  if (now.phase !== "agent" || !hasCalled) return { stage: STAGES[now.phase], since: began };
  return {
    stage: progress.isGenerating ? "generate" : "tool",
    since: progress.since ?? began,
  };
}
