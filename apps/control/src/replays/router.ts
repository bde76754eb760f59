import { OfTurn, StartReplay } from "@liverl/contract/replay";
import { z } from "zod";
import { cancelReplay } from "#replays/cancel-replay.ts";
import { getReplay, listReplays } from "#replays/get-replay.ts";
import { listReplayChoices } from "#replays/list-choices.ts";
import { startReplay } from "#replays/start-replay.ts";
import { procedure, router } from "#trpc.ts";

const Id = z.object({ id: z.string().min(1).max(100) });

export const replayRouter = router({
  choices: procedure.input(OfTurn).query(({ ctx, input }) => listReplayChoices(ctx, input)),
  start: procedure.input(StartReplay).mutation(({ ctx, input }) => startReplay(ctx, input)),
  get: procedure.input(Id).query(({ ctx, input }) => getReplay(ctx, input)),
  list: procedure
    .input(z.object({ rolloutId: z.string().min(1).max(300) }))
    .query(({ ctx, input }) => listReplays(ctx, input)),
  cancel: procedure.input(Id).mutation(({ ctx, input }) => cancelReplay(ctx, input)),
});
