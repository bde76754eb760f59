"use client";
import { LaunchSpec, launchFaults, type PlanLaunchResult } from "@liverl/contract/launch";
import { ForkWay } from "@liverl/contract/run";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { readPath } from "#launch/read-path.ts";
import type { SpecValue } from "#launch/spec-value.ts";
import { readYaml, removeInYaml, setInYaml, writeYaml } from "#launch/spec-yaml.ts";
import { useDraft } from "#launch/use-draft.ts";
import { useTRPC } from "#trpc/client.tsx";

const CHECK_AGAIN_MS = 20_000;

/** What the launch form starts from: a preset, or the spec of a run (`from=` in the URL). */
export function useLaunchBase(project: string) {
  const trpc = useTRPC();
  const [query, setQuery] = useQueryStates({
    preset: parseAsString,
    from: parseAsString,
    step: parseAsInteger,
    how: parseAsStringLiteral(ForkWay.options),
  });
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
  const spec = isParent ? (parent.data ?? null) : (preset?.spec ?? null);
  const name = useQuery(
    trpc.launch.suggestName.queryOptions(
      { project, base: spec?.name ?? "" },
      { enabled: spec !== null, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  const asked = isParent ? parent : presets;
  return {
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

/** The draft of a launch, its checks and its plan, kept in step with each other. */
export function useLaunch(project: string) {
  const trpc = useTRPC();
  const base = useLaunchBase(project);
  const initialText = useMemo(
    () => (base.initial === null ? null : writeYaml(base.initial)),
    [base.initial],
  );
  const fork = base.fork === null ? "" : `.${base.fork.step}.${base.fork.how}`;
  const draft = useDraft(`${project}.${base.from ?? base.preset?.id ?? ""}${fork}`, initialText);
  const text = draft.text ?? "";
  const parsed = useMemo(() => readYaml(text), [text]);
  const local = useMemo(() => LaunchSpec.safeParse(parsed.spec), [parsed.spec]);
  const [settled] = useDebouncedValue(text, 250);
  const settledSpec = useMemo(() => readYaml(settled).spec, [settled]);
  const checks = useQuery(
    trpc.launch.plan.queryOptions(
      { spec: settledSpec },
      {
        enabled: draft.text !== null && settled !== "" && settledSpec !== null,
        placeholderData: keepPreviousData,
        staleTime: 1_000,
        refetchInterval: CHECK_AGAIN_MS,
      },
    ),
  );
  const faults = useMemo((): PlanLaunchResult["faults"] => {
    if (parsed.fault) return [];
    if (!local.success) return launchFaults(local.error);
    return settled === text ? (checks.data?.faults ?? []) : [];
  }, [parsed.fault, local, settled, text, checks.data]);
  const driver = readPath(parsed.spec, "driver");
  return {
    base,
    draft,
    text,
    parsed,
    driver,
    /** What this driver takes for a value when nobody says otherwise; null where it has no such values. */
    defaults: base.defaults.find((known) => known.driver === driver) ?? null,
    spec: local.success ? local.data : null,
    faults,
    checks,
    isChecking:
      settled !== text || (checks.isFetching && checks.isPlaceholderData) || checks.isPending,
    change: (path: string, value: SpecValue, typed?: string) =>
      draft.setText(setInYaml(text, path, value, typed)),
    /** Several values at once; a place without a value is taken out. */
    changeAll: (values: readonly { path: string; value?: SpecValue | undefined }[]) =>
      draft.setText(
        values.reduce(
          (changed, { path, value }) =>
            value === undefined ? removeInYaml(changed, path) : setInYaml(changed, path, value),
          text,
        ),
      ),
    /** Drivers of verl share all values but the target; between others the form starts from a preset of the driver. */
    changeDriver: (next: string) => {
      const isVerl = (of: unknown) => base.defaults.some((known) => known.driver === of);
      const other = base.defaults.find((known) => known.driver === next);
      if (other && other.driver !== "embedded" && isVerl(driver))
        draft.setText(setInYaml(setInYaml(text, "target", other.target), "driver", next));
      else {
        const preset = base.presets.find(({ spec }) => spec.driver === next);
        if (preset) void base.pickPreset(preset.id);
      }
    },
  };
}

export type Launch = ReturnType<typeof useLaunch>;
