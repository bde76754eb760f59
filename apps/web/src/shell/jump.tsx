"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { jumpStore, selectFirst } from "#shell/jump-store.ts";
import {
  alertsHref,
  clusterHref,
  launchHref,
  runHref,
  runsHref,
  sandboxesHref,
  sessionHref,
  sessionsHref,
  settingsHref,
  tasksHref,
} from "#shell/links.ts";
import { RUN_TABS, runTabTail } from "#shell/run-tabs.ts";
import { useJumpFinds } from "#shell/use-jump-finds.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Icon } from "#ui/icon.tsx";

/** Rows that a search mounts at most. */
const MOST_SHOWN = 60;
/** Runs that are offered: the newest. Each costs a verdict. */
const NEWEST = 100;
/** Typing pauses so long before the server is asked. */
const ASK_MS = 150;

/** Something that the open page can do. */
export interface JumpAct {
  id: string;
  label: string;
  description: string;
  onClick: () => void;
}

/** ⌘K: acts of the page, pages of the run that is open and what is named in it, then every run and session of the project. */
export function Jump({
  project,
  runId,
  acts,
}: {
  project: string;
  runId: string | null;
  acts: readonly JumpAct[];
}) {
  const router = useRouter();
  const trpc = useTRPC();
  const [isOpened, setOpened] = useState(false);
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed, ASK_MS);
  const list = useQuery(
    trpc.session.list.queryOptions({ project }, { enabled: isOpened, staleTime: 5_000 }),
  ).data?.sessions;
  const runs =
    useQuery(
      trpc.run.list.queryOptions(
        { project, limit: NEWEST },
        { enabled: isOpened, staleTime: 5_000 },
      ),
    ).data?.runs ?? [];
  const ofRun =
    useQuery(
      trpc.run.get.queryOptions(isOpened && runId !== null ? { id: runId } : skipToken, {
        staleTime: 5_000,
      }),
    ).data ?? null;
  const open = runs.find(({ id }) => id === runId) ?? ofRun;
  const finds = useJumpFinds({ project, runs, open, runId, typed, asked, isOpened });
  // Rows that come late stand above others: the first one is what Enter opens, until somebody walks to another.
  const hasMoved = useRef(false);
  const found = finds.map(({ id }) => id).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the rows or of the words selects anew
  useEffect(() => {
    if (isOpened && typed !== "" && !hasMoved.current) selectFirst();
  }, [isOpened, typed, found]);
  const here: SpotlightActionData[] =
    runId === null
      ? []
      : RUN_TABS.map((tab) => ({
          id: `tab-${tab.id}`,
          label: tab.label,
          description: open?.name ?? runId,
          onClick: () => router.push(runHref(project, runId, runTabTail(tab.id, open?.step ?? 0))),
        }));
  const pages: SpotlightActionData[] = [
    {
      id: "page-runs",
      label: "Runs",
      description: project,
      onClick: () => router.push(runsHref(project)),
    },
    {
      id: "page-tasks",
      label: "Tasks",
      description: "over all runs",
      onClick: () => router.push(tasksHref(project)),
    },
    {
      id: "page-launch",
      label: "Launch a run",
      description: project,
      onClick: () => router.push(launchHref(project)),
    },
    {
      id: "page-sessions",
      label: "Sessions",
      description: project,
      onClick: () => router.push(sessionsHref(project)),
    },
    {
      id: "page-cluster",
      label: "Cluster",
      description: "Engines, GPUs, Ray, processes",
      onClick: () => router.push(clusterHref(project)),
    },
    {
      id: "page-sandboxes",
      label: "Sandboxes",
      description: "Trials in sandboxes, images, errors",
      onClick: () => router.push(sandboxesHref(project)),
    },
    {
      id: "page-alerts",
      label: "Alerts",
      description: "Open alerts, rules, receivers",
      onClick: () => router.push(alertsHref(project)),
    },
    {
      id: "page-settings",
      label: "Settings",
      description: "Thresholds of this project",
      onClick: () => router.push(settingsHref(project)),
    },
  ];
  const known: SpotlightActionData[] = runs.map((run) => ({
    id: `run-${run.id}`,
    label: run.name,
    description: `Run · ${run.status} · step ${run.step}`,
    keywords: [run.id, ...run.tags],
    leftSection: <span className="sw" style={{ background: `var(--c${run.color})` }} />,
    onClick: () => router.push(runHref(project, run.id)),
  }));
  const sessions: SpotlightActionData[] = (list ?? []).map(({ sessionId, taskId, state }) => ({
    id: `session-${sessionId}`,
    label: taskId ?? sessionId,
    description: taskId === null ? `Session · ${state}` : `Session · ${state} · ${sessionId}`,
    keywords: [sessionId],
    onClick: () => router.push(sessionHref(project, sessionId)),
  }));
  return (
    <Spotlight
      store={jumpStore}
      actions={[...acts, ...here, ...pages, ...finds, ...known, ...sessions]}
      query={typed}
      onQueryChange={(next) => {
        hasMoved.current = false;
        setTyped(next);
      }}
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      limit={MOST_SHOWN}
      nothingFound="Nothing by that name"
      highlightQuery
      scrollable
      maxHeight={420}
      // A list that scrolls can be scrolled by keys.
      scrollAreaProps={{
        viewportProps: {
          ...{ tabIndex: 0, role: "group", "aria-label": "What was found" },
          // Its ring is within it: the dialog cuts what is outside.
          style: { outlineOffset: -2 },
        },
      }}
      shortcut="mod + K"
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: "Search or jump to",
        "aria-label": "Search or jump to",
        onKeyDown: ({ key }) => {
          if (key === "ArrowDown" || key === "ArrowUp") hasMoved.current = true;
        },
      }}
    />
  );
}
