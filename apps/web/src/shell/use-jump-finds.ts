"use client";
import { printFilter } from "@liverl/contract/filter/print-filter";
import type { RunSummary } from "@liverl/contract/run";
import type { SpotlightActionData } from "@mantine/spotlight";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { runHref, stepHref, taskHref, trajectoryHref } from "#shell/links.ts";
import { groupOfTyped, prepareJump } from "#shell/prepare-jump.ts";
import { useTRPC } from "#trpc/client.tsx";

/** A word so short is in too many names to be asked for. */
const LEAST = 3;
const MOST = 8;
const MOST_OF_GROUP = 64;
const STALE_MS = 30_000;

/** What the words that are typed name: a step, rollouts, tasks, metrics and checkpoints of the open run, and runs beyond the newest. */
export function useJumpFinds({
  project,
  runs,
  open,
  runId,
  typed,
  asked,
  isOpened,
}: {
  project: string;
  runs: readonly RunSummary[];
  /** The open run, which may be older than all of `runs`. */
  open: RunSummary | null;
  runId: string | null;
  typed: string;
  /** The same a moment later: what the server is asked for. */
  asked: string;
  isOpened: boolean;
}): SpotlightActionData[] {
  const router = useRouter();
  const words = typed.trim();
  const found = useFound({ project, runId, typed: words, words: asked.trim(), isOpened });
  const go = (href: string) => () => router.push(href);
  const places = prepareJump(words, runs, open).map((place): SpotlightActionData => {
    if (place.kind === "step")
      return {
        ...{ id: `step-${place.step}`, label: `Step ${place.step}`, description: open?.name ?? "" },
        keywords: [words],
        onClick: go(stepHref(project, runId ?? "", place.step)),
      };
    return {
      ...{ id: `rollout-${place.rolloutId}`, label: place.rolloutId, description: "Rollout" },
      onClick: go(trajectoryHref(project, place.runId, place.rolloutId)),
    };
  });
  const named = new Set(places.map(({ id }) => id));
  const known = new Set(runs.map(({ id }) => id));
  const others = found.runs
    .filter(({ id }) => !known.has(id))
    .map(
      (run): SpotlightActionData => ({
        ...{ id: `run-${run.id}`, label: run.name, description: `Run · ${run.status}` },
        keywords: [run.id],
        onClick: go(runHref(project, run.id)),
      }),
    );
  if (runId === null) return [...places, ...others];
  const metricHref = (key: string) =>
    runHref(project, runId, `metrics?${new URLSearchParams({ q: patternOf(key) })}`);
  return [
    ...places,
    ...found.rollouts
      .map(
        ({ rolloutId, taskName }): SpotlightActionData => ({
          ...{ id: `rollout-${rolloutId}`, label: rolloutId, description: `Rollout · ${taskName}` },
          onClick: go(trajectoryHref(project, runId, rolloutId)),
        }),
      )
      .filter(({ id }) => !named.has(id)),
    ...found.tasks.map(
      (task): SpotlightActionData => ({
        ...{ id: `task-${task}`, label: task, description: "Task" },
        onClick: go(taskHref(project, task)),
      }),
    ),
    ...found.metrics.map(
      (key): SpotlightActionData => ({
        ...{ id: `metric-${key}`, label: key, description: "Metric" },
        onClick: go(metricHref(key)),
      }),
    ),
    ...found.checkpoints.map(
      (step): SpotlightActionData => ({
        ...{ id: `checkpoint-${step}`, label: `Checkpoint at step ${step}`, description: "" },
        onClick: go(runHref(project, runId, "checkpoints")),
      }),
    ),
    ...others,
  ];
}

/** A metric's key as the metrics page's search takes it: as a pattern that it alone matches. */
const patternOf = (key: string) => `^${key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

const contains = (field: string, value: string) =>
  printFilter({ kind: "compare", field, op: "~", value });

function useFound({
  project,
  runId,
  typed,
  words,
  isOpened,
}: {
  project: string;
  runId: string | null;
  typed: string;
  words: string;
  isOpened: boolean;
}) {
  const trpc = useTRPC();
  const asks = isOpened && words.length >= LEAST;
  const ofRun = isOpened && runId !== null ? { runId } : skipToken;
  const options = { staleTime: STALE_MS };
  const keys = useQuery(trpc.metric.keys.queryOptions(ofRun, options)).data?.keys;
  const checkpoints = useQuery(trpc.checkpoint.list.queryOptions(ofRun, options)).data?.checkpoints;
  const tasks = useQuery(
    trpc.rollout.values.queryOptions(
      asks && runId !== null ? { runId, field: "task", like: words } : skipToken,
      options,
    ),
  ).data?.values;
  const group = runId === null ? null : groupOfTyped(runId, words);
  const rollouts = useQuery(
    trpc.rollout.list.queryOptions(
      asks && runId !== null && group !== null
        ? {
            ...{ runId, limit: MOST_OF_GROUP },
            f: printFilter({ kind: "compare", field: "group", op: "=", value: group.groupId }),
          }
        : skipToken,
      options,
    ),
  ).data?.rollouts.filter(({ rolloutId }) => rolloutId.startsWith(group?.begin ?? ""));
  const runs = useQuery(
    trpc.run.list.queryOptions(
      asks
        ? { project, f: `${contains("name", words)} or ${contains("id", words)}`, limit: MOST }
        : skipToken,
      options,
    ),
  ).data?.runs;
  // Names of metrics are asked for once; only what is typed of them is offered.
  const metrics = typed === "" ? [] : (keys ?? []).map(({ key }) => key);
  return {
    metrics: metrics
      .filter((key) => key.toLowerCase().includes(typed.toLowerCase()))
      .slice(0, MOST),
    checkpoints: typed === "" ? [] : (checkpoints ?? []).map(({ step }) => step),
    tasks: tasks ?? [],
    rollouts: rollouts?.slice(0, MOST) ?? [],
    runs: runs ?? [],
  };
}
