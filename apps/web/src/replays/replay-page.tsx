"use client";
import { printFilter } from "@liverl/contract/filter/print-filter";
import { isReplayOver, type ReplayView } from "@liverl/contract/replay";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { ReplayBody } from "#replays/replay-body.tsx";
import { REPLAY_SHORTCUTS } from "#replays/use-replay-keys.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import type { Crumb } from "#shell/crumbs.tsx";
import { againHref, turnHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
import { rolloutCrumbs } from "#trajectories/rollout-crumbs.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";

const REFRESH_MS = 700;

/** A turn that was sampled again, beside the original. */
export function ReplayPage() {
  const { project, runId } = useRunRoute();
  const id = useRoutePart("replay");
  const router = useRouter();
  const query = useQuery(
    useTRPC().replay.get.queryOptions(
      { id },
      {
        refetchInterval: ({ state }) =>
          state.data && !isReplayOver(state.data.status) ? REFRESH_MS : false,
      },
    ),
  );
  const view = query.data;
  const crumbs = useCrumbs(view, project, runId);
  return (
    <RunFrame
      tab="rollouts"
      crumbs={crumbs}
      shortcuts={REPLAY_SHORTCUTS}
      compact
      acts={
        view
          ? [
              {
                id: "sample-again",
                label: `Sample turn ${view.turn} again…`,
                description: view.rolloutId,
                onClick: () => router.push(againHref(project, runId, view)),
              },
            ]
          : []
      }
    >
      {view ? (
        <ReplayBody key={view.id} view={view} project={project} />
      ) : query.isError ? (
        <ErrorState
          what="This replay could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SkeletonRows rows={10} height={44} />
      )}
    </RunFrame>
  );
}

/** The way to the rollout, as on its own page, and from there to this turn. */
function useCrumbs(view: ReplayView | undefined, project: string, runId: string): Crumb[] {
  const f = view && printFilter({ kind: "compare", field: "id", op: "=", value: view.rolloutId });
  const rollout = useQuery(
    useTRPC().rollout.list.queryOptions(f ? { runId, f, limit: 1 } : skipToken, {
      staleTime: Number.POSITIVE_INFINITY,
    }),
  ).data?.rollouts[0];
  if (!view) return [{ label: "Replay" }];
  const path = rolloutCrumbs(rollout, project, runId, view.rolloutId);
  return [
    ...path.slice(0, -1),
    ...path.slice(-1).map(({ label }) => ({ label, href: turnHref(project, runId, view) })),
    { label: `Turn ${view.turn}, sampled again` },
  ];
}
