import { AppError } from "@liverl/contract/app-error";
import type { LiveRollouts } from "@liverl/contract/live-rollout";
import {
  AgentChoice,
  CreateOutsideSession,
  EndOutsideSession,
  RegisterRun,
} from "@liverl/contract/proxy-admin";
import { RolloutRequest } from "@liverl/contract/rollout";
import type { SandboxReport } from "@liverl/contract/sandbox";
import { z } from "zod";
import type { RunnerContext } from "#context.ts";
import { listJoinedRunners } from "#leases/list-joined-runners.ts";
import { cancelTrial, cancelTrials } from "#runs/cancel-trials.ts";
import { checkAgent } from "#runs/check-agent.ts";
import { registerRun } from "#runs/register-run.ts";
import { removeRun } from "#runs/remove-run.ts";
import { type Answer, parseInput, readBody } from "#server/http-answer.ts";
import { LEASE_ROUTES } from "#server/lease-routes.ts";
import { metricsText } from "#server/metrics-text.ts";
import { POD_ROUTES } from "#server/pod-routes.ts";
import type { Asked, Route } from "#server/route.ts";
import { completeOutsideSession } from "#sessions/complete-outside-session.ts";
import { createOutsideSession } from "#sessions/create-outside-session.ts";
import { atifOfSession, flattenSession } from "#sessions/export-session.ts";
import { getOutsideSession } from "#sessions/get-outside-session.ts";
import { inspectAnySession } from "#sessions/inspect-session.ts";
import { listOutsideSessions } from "#sessions/list-outside-sessions.ts";
import { acceptRollout } from "#trials/accept-rollout.ts";
import { listLiveRollouts } from "#trials/list-live-rollouts.ts";
import { listSandboxTrials } from "#trials/list-sandbox-trials.ts";
import { loadResult } from "#trials/load-result.ts";
import { isFinished, type Trial } from "#trials/trial.ts";
import { waitForFinish } from "#trials/wait-for-finish.ts";

const Wait = z.coerce.number().min(0).max(60).default(0);
const ReadFeed = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
  wait: Wait,
});

const ok = (content: unknown): Answer => ({ status: 200, content });
const first = ({ parameters }: Asked) => parameters[0] ?? "";
const sessionOf = (asked: Asked) => ({
  sessionId: first(asked),
  directory: asked.query.get("directory"),
});

export const ROUTES: readonly Route[] = [
  ...LEASE_ROUTES,
  ...POD_ROUTES,
  {
    method: "PUT",
    pattern: /^\/api\/v1\/runs\/([^/]+)$/,
    answer: async (ctx, asked) => {
      await registerRun(ctx, first(asked), await readBody(asked.request, RegisterRun));
      return ok({});
    },
  },
  {
    method: "DELETE",
    pattern: /^\/api\/v1\/runs\/([^/]+)$/,
    answer: async (ctx, asked) => ok(await removeRun(ctx, first(asked))),
  },
  {
    // A trainer that starts over: what its earlier life left unfinished must not go on under other weights.
    method: "DELETE",
    pattern: /^\/api\/v1\/runs\/([^/]+)\/trials$/,
    answer: async (ctx, asked) => {
      const registered = ctx.runs.get(first(asked));
      if (!registered) return ok({ cancelled: 0 });
      const { cancelled, isSettled } = await cancelTrials(ctx, registered);
      if (isSettled) return ok({ cancelled });
      throw new AppError("UNAVAILABLE", {
        userMessage: "Trials of this run are still ending: ask again.",
      });
    },
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/rollouts$/,
    opensTo: "trainer",
    answer: async (ctx, asked) => {
      const waitS = parseInput(Wait, asked.query.get("wait") ?? undefined);
      const trial = await acceptRollout(ctx, await readBody(asked.request, RolloutRequest));
      await waitForFinish(trial, waitS * 1_000, asked.signal);
      return rolloutAnswer(ctx, trial);
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/rollouts\/([^/]+)$/,
    opensTo: "trainer",
    answer: async (ctx, asked) => {
      const trial = ctx.trials.get(first(asked));
      if (!trial)
        throw new AppError("NOT_FOUND", { userMessage: `There is no rollout ${first(asked)}.` });
      await waitForFinish(
        trial,
        parseInput(Wait, asked.query.get("wait") ?? undefined) * 1_000,
        asked.signal,
      );
      return rolloutAnswer(ctx, trial);
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/trials$/,
    answer: async (ctx, asked) => {
      const { after, limit, wait } = parseInput(ReadFeed, Object.fromEntries(asked.query));
      return ok(await ctx.feed.read({ after, limit, waitMs: wait * 1_000 }));
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/live-rollouts$/,
    answer: async (ctx) => ok({ rollouts: await listLiveRollouts(ctx) } satisfies LiveRollouts),
  },
  {
    // A rollout that is stuck: its attempt ends as cancelled, and the trainer goes on without it.
    method: "DELETE",
    pattern: /^\/api\/v1\/rollouts\/([^/]+)$/,
    answer: async (ctx, asked) => {
      await cancelTrial(ctx, first(asked));
      return ok({});
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sandboxes$/,
    answer: async (ctx) =>
      ok({
        trials: listSandboxTrials(ctx),
        images: ctx.sandboxes.images(),
        runners: listJoinedRunners(ctx),
      } satisfies SandboxReport),
  },
  {
    // What the agent has written so far comes into the trial's folder, where its files are read.
    method: "POST",
    pattern: /^\/api\/v1\/rollouts\/([^/]+)\/agent-output$/,
    answer: async (ctx, asked) => {
      await ctx.trials.get(first(asked))?.inSandbox?.output?.bring();
      return ok({});
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sandbox-host$/,
    answer: async (ctx) => ok(await ctx.sandboxes.probe()),
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/agents\/([^/]+)$/,
    answer: async (ctx, asked) => {
      await checkAgent(ctx, parseInput(AgentChoice, first(asked)));
      return ok({});
    },
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sessions$/,
    answer: async (ctx) => ok(await listOutsideSessions(ctx)),
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sessions\/([^/]+)$/,
    answer: async (ctx, asked) => ok(await getOutsideSession(ctx, first(asked))),
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sessions\/([^/]+)\/(outline|(?:forks|calls|nodes)\/\d{1,9})$/,
    answer: async (ctx, asked) =>
      ok(await inspectAnySession(ctx, first(asked), asked.parameters[1] ?? "")),
  },
  {
    method: "GET",
    pattern: /^\/api\/v1\/sessions\/([^/]+)\/segments$/,
    answer: async (ctx, asked) => ok(await flattenSession(ctx, sessionOf(asked))),
  },
  {
    // `agent`: who worked, which the proxy does not know.
    method: "GET",
    pattern: /^\/api\/v1\/sessions\/([^/]+)\/atif$/,
    answer: async (ctx, asked) =>
      ok(await atifOfSession(ctx, sessionOf(asked), asked.query.get("agent") ?? "unknown")),
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/sessions$/,
    answer: async (ctx, asked) =>
      ok(await createOutsideSession(ctx, await readBody(asked.request, CreateOutsideSession))),
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/sessions\/([^/]+)\/complete$/,
    answer: async (ctx, asked) =>
      ok(
        await completeOutsideSession(
          ctx,
          first(asked),
          await readBody(asked.request, EndOutsideSession),
        ),
      ),
  },
  { method: "GET", pattern: /^\/metrics$/, answer: async (ctx) => ok(metricsText(ctx)) },
];

async function rolloutAnswer(ctx: RunnerContext, trial: Trial): Promise<Answer> {
  if (isFinished(trial)) return ok(await loadResult(ctx, trial));
  return {
    status: 202,
    content: {
      rolloutId: trial.request.rolloutId,
      status: trial.change.status,
      attempt: trial.change.attempt,
    },
  };
}
