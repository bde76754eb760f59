import { procedure, router } from "#trpc.ts";

export const sandboxRouter = router({
  list: procedure.query(({ ctx }) => ctx.sandboxes.view(ctx)),
});
