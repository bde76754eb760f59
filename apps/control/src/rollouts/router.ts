import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { procedure, router } from "#trpc.ts";

export const rolloutRouter = router({
  list: procedure.input(ListRollouts).query(({ ctx, input }) => listRollouts(ctx, input)),
});
