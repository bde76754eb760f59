"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";

/** The run of a page: its facts, verdict and what can be done with it. Kept up to date by the live stream. */
export function useRun(runId: string) {
  const trpc = useTRPC();
  return useQuery(trpc.run.get.queryOptions({ id: runId }));
}
