"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#trpc/client.tsx";
import { describeError } from "#ui/describe-error.ts";

/** Starts and cancels merges of a run's checkpoints; what was refused is told at its row. */
export function useMerges(runId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries(trpc.checkpoint.list.queryFilter({ runId }));
  const merge = useMutation(trpc.checkpoint.merge.mutationOptions({ onSettled }));
  const cancel = useMutation(trpc.checkpoint.cancelMerge.mutationOptions({ onSettled }));
  return {
    merge: (step: number) => merge.mutate({ runId, step }),
    cancel: (step: number) => cancel.mutate({ runId, step }),
    /** The step whose act is on its way to the server. */
    pendingStep:
      (merge.isPending && merge.variables.step) || (cancel.isPending && cancel.variables.step),
    refusal: (step: number): string | null => {
      for (const asked of [merge, cancel])
        if (asked.isError && asked.variables.step === step)
          return describeError(asked.error).message;
      return null;
    },
  };
}
export type Merges = ReturnType<typeof useMerges>;
