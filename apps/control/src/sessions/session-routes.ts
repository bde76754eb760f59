import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { CreateOutsideSession, EndOutsideSession } from "@liverl/contract/proxy-admin";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "#context.ts";
import { listSessions } from "#sessions/list-sessions.ts";

const OfSession = z.object({ id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,140}$/) });
const ListQuery = z.strictObject({ project: z.string().optional() });

/** `/api/v1/sessions`: the sessions of outside agents, for programs. */
export function addSessionRoutes(server: FastifyInstance, ctx: Context): void {
  server.get("/api/v1/sessions", async (request) =>
    listSessions(ctx, parseInput(ListQuery, request.query)),
  );
  server.get("/api/v1/sessions/:id", async (request) =>
    ctx.runner.session(parseInput(OfSession, request.params).id),
  );
  server.post("/api/v1/sessions", async (request, reply) => {
    const body = parseInput(CreateOutsideSession, request.body ?? {});
    const answer = await ctx.runner.forward("POST", "/api/v1/sessions", body);
    return reply.code(answer.status).send(answer.body);
  });
  server.post("/api/v1/sessions/:id/complete", async (request, reply) => {
    const { id } = parseInput(OfSession, request.params);
    const body = parseInput(EndOutsideSession, request.body ?? {});
    const answer = await ctx.runner.forward("POST", `/api/v1/sessions/${id}/complete`, body);
    return reply.code(answer.status).send(answer.body);
  });
}

function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error), cause: parsed.error });
}
