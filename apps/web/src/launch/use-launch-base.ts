"use client";
import { ForkWay } from "@liverl/contract/run";
import type { LaunchBase } from "@liverl/contract/run-config";
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useState } from "react";
import { readLastDraft } from "#launch/last-draft.ts";
import { useTRPC } from "#trpc/client.tsx";

/** The choice in the URL; without one, that of the draft which was worked on last. */
function useBeginning(project: string) {
  const [query, setQuery] = useQueryStates({
    preset: parseAsString,
    from: parseAsString,
    step: parseAsInteger,
    how: parseAsStringLiteral(ForkWay.options),
  });
  const isNamed = query.preset !== null || query.from !== null;
  const [looked, setLooked] = useState<string | null>(null);
  useEffect(() => {
    const last = isNamed ? null : readLastDraft(project);
    if (last) void setQuery(last);
    setLooked(project);
  }, [isNamed, project, setQuery]);
  return { query, setQuery, isChosen: isNamed || looked === project };
}

/** What the launch form starts from: a preset, or the spec of a run (`from=` in the URL). */
export function useLaunchBase(project: string) {
  const trpc = useTRPC();
  const { query, setQuery, isChosen } = useBeginning(project);
  const presets = useQuery(trpc.launch.presets.queryOptions(undefined, { staleTime: 60_000 }));
  const { from, step } = query;
  const how = query.how ?? "resume";
  const cloned = useQuery(
    trpc.launch.specOf.queryOptions(
      { runId: from ?? "" },
      { enabled: from !== null && step === null, staleTime: 60_000 },
    ),
  );
  const forked = useQuery(
    trpc.launch.specOfFork.queryOptions(
      { runId: from ?? "", step: step ?? 0, how },
      { enabled: from !== null && step !== null, staleTime: 60_000, retry: false },
    ),
  );
  const parent = step === null ? cloned : forked;
  const preset =
    presets.data?.presets.find((known) => known.id === query.preset) ??
    presets.data?.presets[0] ??
    null;
  const isParent = from !== null;
  const known = isParent ? (parent.data ?? null) : (preset?.spec ?? null);
  const spec = isChosen ? known : null;
  const name = useQuery(
    trpc.launch.suggestName.queryOptions(
      { project, base: spec?.name ?? "" },
      { enabled: spec !== null, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  const asked = isParent ? parent : presets;
  const chosen: LaunchBase | null = isParent
    ? { kind: "run", id: from }
    : preset && { kind: "preset", id: preset.id };
  return {
    /** As a launch names it; null until the presets are known. */
    chosen,
    presets: presets.data?.presets ?? [],
    defaults: presets.data?.defaults ?? [],
    preset,
    from,
    /** The checkpoint of `from` that the run would begin with; null for a clone. */
    fork: from === null || step === null ? null : { step, how },
    kind: isParent ? ("parent" as const) : ("preset" as const),
    label: isParent ? (parent.data?.name ?? from ?? "") : (preset?.label ?? ""),
    spec,
    /** The spec with this project and a free name; null until both are known. */
    initial:
      spec !== null && (name.data || name.isError)
        ? { ...spec, project, name: name.data?.name ?? spec.name }
        : null,
    error: asked.error,
    retry: () => void asked.refetch(),
    pickPreset: (id: string) => setQuery({ preset: id, from: null, step: null, how: null }),
  };
}
