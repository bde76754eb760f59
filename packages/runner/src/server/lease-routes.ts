import { AppError } from "@liverl/contract/app-error";
import { LeaseHeartbeat, LeaseRequest, LeaseResult, LeaseSession } from "@liverl/contract/lease";
import { CompleteSession } from "@liverl/contract/proxy-admin";
import { z } from "zod";
import type { RunnerContext } from "#context.ts";
import { env } from "#env.ts";
import type { OpenLease } from "#leases/open-lease.ts";
import { parseInput, readBody } from "#server/http-answer.ts";
import type { Asked, Route } from "#server/route.ts";

const Wait = z.coerce.number().min(0).max(60).default(0);

/** What joined runners ask, besides the traffic that is no JSON. */
export const LEASE_ROUTES: readonly Route[] = [
  {
    method: "POST",
    pattern: /^\/api\/v1\/leases$/,
    opensTo: "joined",
    answer: async (ctx, { request, query, signal }) => {
      const asked = await readBody(request, LeaseRequest);
      if (asked.sandbox !== env.LIVERL_SANDBOX) {
        throw new AppError("BAD_REQUEST", {
          userMessage: `Sandboxes run in ${env.LIVERL_SANDBOX} here, and in ${asked.sandbox} at ${asked.runner}: start it with LIVERL_SANDBOX=${env.LIVERL_SANDBOX}.`,
        });
      }
      const waitS = parseInput(Wait, query.get("wait") ?? undefined);
      const lease = await ctx.places.ask(asked, waitS * 1_000, signal);
      return ok({ lease: lease?.describe() ?? null });
    },
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/leases\/([^/]+)\/heartbeat$/,
    opensTo: "joined",
    answer: async (ctx, asked) => {
      const lease = leaseOf(ctx, asked);
      ctx.places.hear(lease.runner);
      return ok(lease.heartbeat(await readBody(asked.request, LeaseHeartbeat)));
    },
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/leases\/([^/]+)\/session$/,
    opensTo: "joined",
    answer: async (ctx, asked) => {
      const lease = leaseOf(ctx, asked);
      const { verifyS } = await readBody(asked.request, LeaseSession);
      return ok({ apiKey: lease.key, expiresAt: await lease.openSession(verifyS) });
    },
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/leases\/([^/]+)\/session\/complete$/,
    opensTo: "joined",
    answer: async (ctx, asked) => {
      const lease = leaseOf(ctx, asked);
      // Segments stay here: nobody there needs a million tokens.
      const ending = await readBody(asked.request, CompleteSession);
      return ok({ ...(await lease.completeSession(ending)), segments: [] });
    },
  },
  {
    method: "POST",
    pattern: /^\/api\/v1\/leases\/([^/]+)\/result$/,
    opensTo: "joined",
    answer: async (ctx, asked) => {
      leaseOf(ctx, asked).end(await readBody(asked.request, LeaseResult));
      return ok({});
    },
  },
];

const ok = (content: unknown) => ({ status: 200, content });

/** Throws NOT_FOUND: an attempt that is over here is over there. */
export function findLease(ctx: Pick<RunnerContext, "leases">, id: string): OpenLease {
  const lease = ctx.leases.get(id);
  if (lease) return lease;
  throw new AppError("NOT_FOUND", { userMessage: `There is no lease ${id}, or it is over.` });
}

const leaseOf = (ctx: RunnerContext, { parameters }: Asked) => findLease(ctx, parameters[0] ?? "");
