import { getSystem } from "#system/get-system.ts";
import { procedure, router } from "#trpc.ts";

export const systemRouter = router({
  get: procedure.query(({ ctx }) => getSystem(ctx)),
});
