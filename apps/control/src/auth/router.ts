import { CreateToken, TokenName } from "@liverl/contract/api-token";
import { RevokeBrowser } from "@liverl/contract/browser";
import { z } from "zod";
import { createToken, listTokens, revokeToken } from "#auth/api-tokens.ts";
import { listBrowsers, revokeAllBrowsers, revokeBrowser, signOut } from "#auth/browsers.ts";
import { adminProcedure, router } from "#trpc.ts";

export const tokenRouter = router({
  create: adminProcedure.input(CreateToken).mutation(({ ctx, input }) => createToken(ctx, input)),
  list: adminProcedure.query(({ ctx }) => listTokens(ctx)),
  revoke: adminProcedure
    .input(z.object({ name: TokenName }))
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),
});

export const browserRouter = router({
  list: adminProcedure.query(({ ctx }) => listBrowsers(ctx)),
  revoke: adminProcedure
    .input(RevokeBrowser)
    .mutation(({ ctx, input }) => revokeBrowser(ctx, input)),
  revokeAll: adminProcedure.mutation(({ ctx }) => revokeAllBrowsers(ctx)),
  signOut: adminProcedure.mutation(({ ctx }) => signOut(ctx)),
});
