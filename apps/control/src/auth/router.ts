import { CreateToken, TokenName } from "@liverl/contract/api-token";
import { z } from "zod";
import { createToken, listTokens, revokeToken } from "#auth/api-tokens.ts";
import { adminProcedure, router } from "#trpc.ts";

export const tokenRouter = router({
  create: adminProcedure.input(CreateToken).mutation(({ ctx, input }) => createToken(ctx, input)),
  list: adminProcedure.query(({ ctx }) => listTokens(ctx)),
  revoke: adminProcedure
    .input(z.object({ name: TokenName }))
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),
});
