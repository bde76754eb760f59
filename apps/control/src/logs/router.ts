import { ReadLog } from "@liverl/contract/views";
import { z } from "zod";
import { listLogSources } from "#logs/list-log-sources.ts";
import { readLog } from "#logs/read-log.ts";
import { tailLog } from "#logs/tail-log.ts";
import { procedure, router } from "#trpc.ts";

export const logRouter = router({
  sources: procedure
    .input(z.object({ runId: z.string() }))
    .query(({ ctx, input }) => listLogSources(ctx, input)),
  read: procedure.input(ReadLog).query(({ ctx, input }) => readLog(ctx, input)),
  tail: procedure
    .input(
      z.object({
        runId: z.string(),
        source: z.string(),
        /** Byte offset: an end that `read` or the last frame gave. */
        after: z.number().int().nonnegative(),
        lastEventId: z.string().nullish(),
      }),
    )
    .subscription(({ ctx, input, signal }) => tailLog(ctx, input, signal)),
});
