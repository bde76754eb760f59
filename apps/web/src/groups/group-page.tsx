"use client";
import type { GroupRow } from "@liverl/contract/views";
import { ActionIcon } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { CompareTable } from "#groups/compare-table.tsx";
import styles from "#groups/groups.module.css";
import { PairPanel } from "#groups/pair-panel.tsx";
import { preparePair } from "#groups/prepare-pair.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { groupHref, stepHref, trajectoryHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { Chip } from "#ui/chip.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const REFRESH_MS = 2_000;
const SHORTCUTS = [
  { keys: ["j", "k"], does: "Next group, previous group" },
  { keys: ["x"], does: "Swap A and B" },
];

export function GroupPage() {
  const { project, runId } = useRunRoute();
  const groupId = useRoutePart("group");
  const trpc = useTRPC();
  const router = useRouter();
  const [pick, setPick] = useQueryStates({ a: parseAsInteger, b: parseAsInteger });
  const query = useQuery(
    trpc.group.get.queryOptions(
      { runId, groupId },
      {
        refetchInterval: ({ state }) =>
          state.data?.group.rollouts.some(
            (row) => row.status === "queued" || row.status === "running",
          )
            ? REFRESH_MS
            : false,
      },
    ),
  );
  const {
    group,
    step = null,
    askedStep = null,
    previous = null,
    next = null,
    patchLines = {},
    advantages = {},
  } = query.data ?? {};
  const rollouts = useMemo(
    () => [...(group?.rollouts ?? [])].sort((one, other) => one.index - other.index),
    [group],
  );
  const { a, b } = preparePair(rollouts, pick.a, pick.b);
  const go = (id: string | null) => id !== null && router.push(groupHref(project, runId, id));
  const swap = () => void setPick({ a: b?.index ?? null, b: a?.index ?? null });
  usePageKeys([
    ["J", () => go(next)],
    ["K", () => go(previous)],
    ["X", swap],
  ]);
  const mode = rollouts[0]?.mode === "eval" ? "?mode=eval" : "";
  const crumbs = [
    ...(step === null
      ? []
      : [{ label: `Step ${step}`, href: stepHref(project, runId, step) + mode }]),
    { label: group?.taskName ?? groupId },
  ];
  return (
    <RunFrame tab="rollouts" crumbs={crumbs} shortcuts={SHORTCUTS}>
      {query.isError && !group ? (
        <ErrorState
          what="This group could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : !group ? (
        <SkeletonRows rows={12} height={26} />
      ) : (
        <div className={styles.page}>
          <div className={styles.head}>
            <h2 className="trunc">{group.taskName}</h2>
            {group.taskId !== group.taskName && <span className="tag m">{group.taskId}</span>}
            <GroupChips group={group} />
            <div className="grow" />
            <ActionIcon
              variant="default"
              size={24}
              aria-label="Previous group"
              disabled={previous === null}
              onClick={() => go(previous)}
            >
              <Icon name="chevl" size={14} />
            </ActionIcon>
            <span className="f12 i2">{groupOf(step, askedStep)}</span>
            <ActionIcon
              variant="default"
              size={24}
              aria-label="Next group"
              disabled={next === null}
              onClick={() => go(next)}
            >
              <Icon name="chev" size={14} />
            </ActionIcon>
          </div>
          <section
            className="panel"
            aria-label="Rollouts of the group"
            style={{ overflow: "hidden", flex: "none" }}
          >
            <CompareTable
              rollouts={rollouts}
              patchLines={patchLines}
              advantages={advantages}
              a={a?.rolloutId ?? null}
              b={b?.rolloutId ?? null}
              hrefOf={(id) => trajectoryHref(project, runId, id)}
              onPick={(side, index) =>
                void setPick(
                  side === "a"
                    ? { a: index, b: index === b?.index ? (a?.index ?? null) : (b?.index ?? null) }
                    : { b: index, a: index === a?.index ? (b?.index ?? null) : (a?.index ?? null) },
                )
              }
            />
          </section>
          {a && b && <PairPanel a={a} b={b} onSwap={swap} />}
        </div>
      )}
    </RunFrame>
  );
}

function GroupChips({ group }: { group: GroupRow }) {
  const known = group.rollouts.filter((row) => row.reward !== null);
  const solved = known.filter((row) => (row.reward ?? 0) >= 1).length;
  return (
    <>
      <Chip>
        {solved} of {known.length} solved
      </Chip>
      {group.std === null ? <Chip>not complete</Chip> : <Gradient group={group} std={group.std} />}
    </>
  );
}

/** Equal rewards are no gradient only where the rollouts of a group are compared with each other. */
function Gradient({ group, std }: { group: GroupRow; std: number }) {
  const sigma = std === 0 ? "σ 0" : `σ ${std.toFixed(2)}`;
  if (group.isFlat)
    return (
      <Chip title="All rewards that train are equal, so every advantage is zero">
        no gradient, {sigma}
      </Chip>
    );
  return std > 0 ? (
    <Chip tone="on">carries gradient, {sigma}</Chip>
  ) : (
    <Chip title="All rewards are equal; the critic gives each token an advantage of its own">
      equal rewards, {sigma}
    </Chip>
  );
}

/** Which step the group is of; where its trainer works apart from the engines, which asked for it, too. */
function groupOf(step: number | null, asked: number | null): string {
  const of = step === null ? "group" : `group of step ${step}`;
  return asked === null || asked === step ? of : `${of}, asked in step ${asked}`;
}
