import { SetPrice } from "@liverl/contract/price";
import { ProjectName } from "@liverl/contract/run";
import { z } from "zod";
import { getPrice } from "#prices/get-price.ts";
import { setPrice } from "#prices/set-price.ts";
import { procedure, router } from "#trpc.ts";

export const priceRouter = router({
  get: procedure
    .input(z.object({ project: ProjectName }))
    .query(({ ctx, input }) => getPrice(ctx, input)),
  set: procedure.input(SetPrice).mutation(({ ctx, input }) => setPrice(ctx, input)),
});
