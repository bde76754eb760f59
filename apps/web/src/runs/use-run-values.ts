"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTRPC } from "#trpc/client.tsx";

const FIELDS = ["name", "tag", "preset", "algorithm", "mode"] as const;

/** What the filter of runs offers for a field: values that the project's runs have. */
export function useRunValues(project: string): (field: string, like: string) => Promise<string[]> {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return useCallback(
    async (name: string, like: string) => {
      const field = FIELDS.find((known) => known === name);
      if (field === undefined) return [];
      const asked = trpc.run.values.queryOptions({ project, field, like });
      return (await queries.fetchQuery(asked)).values;
    },
    [queries, trpc, project],
  );
}
