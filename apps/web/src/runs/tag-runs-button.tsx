"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { TagPopover } from "#filters/tag-popover.tsx";
import { useTRPC } from "#trpc/client.tsx";

/** Tags runs: those that are marked in the table, or the open one. */
export function TagRunsButton({
  ids,
  what,
  has,
}: {
  ids: readonly string[];
  what: string;
  has?: readonly string[];
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const act = useMutation(
    trpc.run.tag.mutationOptions({
      onSuccess: () =>
        Promise.all([
          queries.invalidateQueries(trpc.run.list.pathFilter()),
          queries.invalidateQueries(trpc.run.get.pathFilter()),
        ]),
    }),
  );
  return (
    <TagPopover
      what={what}
      has={has}
      isPending={act.isPending}
      error={act.error}
      onSend={(kind, tag) => act.mutateAsync({ ids: [...ids], [kind]: [tag] })}
    />
  );
}
