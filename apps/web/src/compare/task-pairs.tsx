"use client";
import { sharedTasks } from "@liverl/contract/shared-tasks";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import styles from "#compare/compare.module.css";
import { PickedPair } from "#compare/picked-pair.tsx";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { PICKS } from "#compare/prepare-pairs.ts";
import { SharedTasks } from "#compare/shared-tasks.tsx";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const STATE = {
  a: parseAsString,
  b: parseAsString,
  task: parseAsString,
  pick: parseAsStringLiteral(PICKS).withDefault("best"),
  mode: parseAsStringLiteral(["train", "eval"]).withDefault("train"),
};
const PICK_OPTIONS = [
  { value: "best", label: "Best", title: "The rollout with the highest reward" },
  { value: "worst", label: "Worst", title: "The rollout with the lowest reward" },
  { value: "latest", label: "Latest", title: "The rollout of the newest step" },
] as const;

/** Tasks that two of the runs tried; one of them with a rollout of each run, side by side. */
export function TaskPairs({ project, runs }: { project: string; runs: readonly ComparedRun[] }) {
  const trpc = useTRPC();
  const [state, setState] = useQueryStates(STATE);
  const { mode, pick, task } = state;
  const a = runs.find(({ id }) => id === state.a) ?? runs.find(({ id }) => id !== state.b);
  const b = runs.find(({ id }) => id === state.b && id !== a?.id) ?? runs.find((run) => run !== a);
  const [aId, bId] = [a?.id ?? "", b?.id ?? ""];
  const left = useQuery(trpc.task.ofRun.queryOptions({ runId: aId, mode }));
  const right = useQuery(trpc.task.ofRun.queryOptions({ runId: bId, mode }));
  const shared = useMemo(
    () => sharedTasks(left.data?.rows ?? [], right.data?.rows ?? []),
    [left.data, right.data],
  );
  const failed = left.isError ? left : right.isError ? right : null;
  if (a === undefined || b === undefined) return null;
  const swap = () => void setState({ a: b.id, b: a.id });
  return (
    <>
      <Panel
        title="Same tasks"
        note={left.data && right.data ? `${shared.length} that both tried` : undefined}
        right={
          <>
            {runs.length > 2 &&
              (["a", "b"] as const).map((side) => (
                <select
                  key={side}
                  className={styles.side}
                  aria-label={`Run ${side.toUpperCase()}`}
                  value={side === "a" ? a.id : b.id}
                  onChange={({ currentTarget: { value } }) =>
                    void setState(
                      side === "a"
                        ? { a: value, b: value === b.id ? a.id : b.id }
                        : { b: value, a: value === a.id ? b.id : a.id },
                    )
                  }
                >
                  {runs.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {side.toUpperCase()}: {name}
                    </option>
                  ))}
                </select>
              ))}
            <Seg
              label="Mode"
              value={mode}
              options={[
                { value: "train", label: "Train" },
                { value: "eval", label: "Evaluation" },
              ]}
              onChange={(next) => void setState({ mode: next })}
            />
            <Seg
              label="Which rollout of each"
              value={pick}
              options={PICK_OPTIONS}
              onChange={(next) => void setState({ pick: next })}
            />
          </>
        }
      >
        {failed ? (
          <ErrorState
            what="The tasks could not be read"
            error={failed.error}
            onRetry={() => void failed.refetch()}
          />
        ) : left.isPending || right.isPending ? (
          <SkeletonRows rows={5} />
        ) : shared.length === 0 ? (
          <EmptyState title="They tried no task in common">
            {mode === "train" ? "Evaluations may have: choose Evaluation above." : null}
          </EmptyState>
        ) : (
          <SharedTasks
            tasks={shared}
            chosen={task}
            names={{ a: a.name, b: b.name }}
            onChoose={(next) => void setState({ task: next === task ? null : next })}
          />
        )}
      </Panel>
      {task !== null && shared.some((one) => one.task === task) && (
        <PickedPair {...{ project, a, b, task, mode, pick }} onSwap={swap} />
      )}
    </>
  );
}
