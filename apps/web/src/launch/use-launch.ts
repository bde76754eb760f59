"use client";
import { LaunchSpec, launchFaults, type PlanLaunchResult } from "@liverl/contract/launch";
import { readPath } from "@liverl/contract/spec/read-path";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { forgetDraft, rememberDraft } from "#launch/last-draft.ts";
import type { SpecValue } from "#launch/spec-value.ts";
import { readYaml, removeInYaml, setInYaml, writeYaml } from "#launch/spec-yaml.ts";
import { type Draft, useDraft } from "#launch/use-draft.ts";
import { useLaunchBase } from "#launch/use-launch-base.ts";
import { usePasted } from "#launch/use-pasted.ts";
import { useTRPC, useTRPCClient } from "#trpc/client.tsx";

const CHECK_AGAIN_MS = 20_000;

/** A draft that the page without a choice in its URL opens again, until it is launched or put aside. */
function useRememberedDraft(project: string, key: string, initial: string | null): Draft {
  const draft = useDraft(key, initial);
  const { setText, discard, release } = draft;
  return {
    ...draft,
    setText: useCallback(
      (text: string) => {
        setText(text);
        rememberDraft(project, window.location.search);
      },
      [setText, project],
    ),
    discard: useCallback(() => {
      discard();
      forgetDraft(project);
    }, [discard, project]),
    release: useCallback(() => {
      release();
      forgetDraft(project);
    }, [release, project]),
  };
}

/** The newest value that was not null: an invalid draft does not take away what is known of the valid one before it. */
function useNewest<Value>(value: Value | null): Value | null {
  const [newest, setNewest] = useState(value);
  if (value !== null && value !== newest) setNewest(value);
  return value ?? newest;
}

/** The draft of a launch, its checks and its plan, kept in step with each other. */
export function useLaunch(project: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const base = useLaunchBase(project);
  const initialText = useMemo(
    () => (base.initial === null ? null : writeYaml(base.initial)),
    [base.initial],
  );
  const fork = base.fork === null ? "" : `.${base.fork.step}.${base.fork.how}`;
  const draft = useRememberedDraft(
    project,
    `${project}.${base.from ?? base.preset?.id ?? ""}${fork}`,
    initialText,
  );
  const text = draft.text ?? "";
  const parsed = useMemo(() => readYaml(text), [text]);
  const local = useMemo(() => LaunchSpec.safeParse(parsed.spec), [parsed.spec]);
  const [settled] = useDebouncedValue(text, 250);
  const settledSpec = useMemo(() => readYaml(settled).spec, [settled]);
  const checks = useQuery(
    // A mutation for the server, as it opens and asks what the spec names; here it is looked at again and again.
    queryOptions({
      queryKey: [...trpc.launch.plan.mutationKey(), settled],
      queryFn: ({ signal }) => client.launch.plan.mutate({ spec: settledSpec }, { signal }),
      enabled: draft.text !== null && settled !== "" && settledSpec !== null,
      placeholderData: keepPreviousData,
      staleTime: 1_000,
      refetchInterval: CHECK_AGAIN_MS,
    }),
  );
  const faults = useMemo((): PlanLaunchResult["faults"] => {
    if (parsed.fault) return [];
    if (!local.success) return launchFaults(local.error);
    return settled === text ? (checks.data?.faults ?? []) : [];
  }, [parsed.fault, local, settled, text, checks.data]);
  const planned = useNewest(checks.data?.plan ? checks.data : null);
  const newestSpec = useNewest(local.success ? local.data : null);
  const isOutdated = parsed.fault !== null || faults.length > 0;
  const driver = readPath(parsed.spec, "driver");
  const defaults = base.defaults.find((known) => known.driver === driver) ?? null;
  const pasted = usePasted({ base, draft, text, spec: parsed.spec, defaults });
  return {
    base,
    draft,
    text,
    parsed,
    driver,
    /** What this driver takes for a value when nobody says otherwise; null where it has no such values. */
    defaults,
    pasted,
    spec: local.success ? local.data : null,
    faults,
    checks,
    /** Plan and checks of the newest valid values; null before the first. `isOutdated` while the draft is not valid. */
    planned:
      newestSpec !== null && newestSpec.driver === driver ? { ...planned, spec: newestSpec } : null,
    isOutdated,
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
