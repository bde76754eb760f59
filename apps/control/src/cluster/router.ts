import { procedure, router } from "#trpc.ts";

export const clusterRouter = router({
  get: procedure.query(({ ctx }) => ctx.cluster.view(ctx)),
});
