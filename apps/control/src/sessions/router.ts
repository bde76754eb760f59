import { z } from "zod";
import { getExchange } from "#sessions/get-exchange.ts";
import { getFork } from "#sessions/get-fork.ts";
import { getSession } from "#sessions/get-session.ts";
import { listSessions } from "#sessions/list-sessions.ts";
import { procedure, router } from "#trpc.ts";

const SessionId = z.object({ sessionId: z.string().min(1).max(200) });
const CallOfSession = SessionId.extend({ callId: z.number().int().nonnegative().max(999_999_999) });

export const sessionRouter = router({
  list: procedure
    .input(z.object({ project: z.string() }))
    .query(({ ctx, input }) => listSessions(ctx, input)),
  get: procedure.input(SessionId).query(({ ctx, input }) => getSession(ctx, input)),
  fork: procedure.input(CallOfSession).query(({ ctx, input }) => getFork(ctx, input)),
  exchange: procedure.input(CallOfSession).query(({ ctx, input }) => getExchange(ctx, input)),
});
