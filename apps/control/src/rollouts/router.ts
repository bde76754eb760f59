import { CancelRollout, cancelRollout } from "#rollouts/cancel-rollout.ts";
import { listRollouts } from "#rollouts/list-rollouts.ts";
import { ListRollouts } from "#rollouts/list-rollouts.types.ts";
import { ListValues, listValues } from "#rollouts/list-values.ts";
import { NoteRollout, noteRollout, TagRollouts, tagRollouts } from "#rollouts/tag-rollouts.ts";
import { procedure, router } from "#trpc.ts";

export const rolloutRouter = router({
  list: procedure.input(ListRollouts).query(({ ctx, input }) => listRollouts(ctx, input)),
  values: procedure.input(ListValues).query(({ ctx, input }) => listValues(ctx, input)),
  tag: procedure.input(TagRollouts).mutation(({ ctx, input }) => tagRollouts(ctx, input)),
  cancel: procedure.input(CancelRollout).mutation(({ ctx, input }) => cancelRollout(ctx, input)),
  note: procedure.input(NoteRollout).mutation(({ ctx, input }) => noteRollout(ctx, input)),
});
