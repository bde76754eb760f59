"use client";
import type { TokensBySteps } from "@liverl/contract/metric";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";

const AGAIN_MS = 5_000;

/** Tokens that a run had trained on by each step, for an axis of tokens; null while they are not known. */
export function useTokens(
  runId: string,
  isWanted: boolean,
  isGrowing: boolean,
): TokensBySteps | null {
  return (
    useQuery(
      useTRPC().metric.tokens.queryOptions(
        { runId },
        { enabled: isWanted, refetchInterval: isGrowing ? AGAIN_MS : false },
      ),
    ).data ?? null
  );
}
