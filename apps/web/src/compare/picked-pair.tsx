"use client";
import type { RolloutRow } from "@liverl/contract/views";
import { useQuery } from "@tanstack/react-query";
import type { ComparedRun } from "#compare/prepare-compare.ts";
import { type Pick, pickQuery } from "#compare/prepare-pairs.ts";
import { PairPanel } from "#groups/pair-panel.tsx";
import { trajectoryHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

/** One rollout of a task of each of two runs, what they did set side by side. */
export function PickedPair({
  project,
  a,
  b,
  task,
  mode,
  pick,
  onSwap,
}: {
  project: string;
  a: ComparedRun;
  b: ComparedRun;
  task: string;
  mode: "train" | "eval";
  pick: Pick;
  onSwap: () => void;
}) {
  const trpc = useTRPC();
  const wish = { task, mode, pick };
  const left = useQuery(trpc.rollout.list.queryOptions(pickQuery(a.id, wish)));
  const right = useQuery(trpc.rollout.list.queryOptions(pickQuery(b.id, wish)));
  const failed = left.isError ? left : right.isError ? right : null;
  const [one] = left.data?.rollouts ?? [];
  const [two] = right.data?.rollouts ?? [];
  if (one && two) {
    const nameOf = ({ name, id }: ComparedRun, row: RolloutRow) => (
      <Link className="lnk" href={trajectoryHref(project, id, row.rolloutId)}>
        {name}
        {row.step === null ? "" : `, step ${row.step}`}
      </Link>
    );
    return (
      <PairPanel a={one} b={two} names={{ a: nameOf(a, one), b: nameOf(b, two) }} onSwap={onSwap} />
    );
  }
  return (
    <Panel title={task}>
      {failed ? (
        <ErrorState
          what="The rollouts could not be read"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : left.isPending || right.isPending ? (
        <SkeletonRows rows={5} />
      ) : (
        <EmptyState title="One of the runs has no rollout of it any more" />
      )}
    </Panel>
  );
}
