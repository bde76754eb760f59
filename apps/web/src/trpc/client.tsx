"use client";
import type { AppRouter } from "@liverl/control/router";
import { createTRPCContext } from "@trpc/tanstack-react-query";

/** `const trpc = useTRPC(); useQuery(trpc.run.list.queryOptions({}))`. */
export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();
