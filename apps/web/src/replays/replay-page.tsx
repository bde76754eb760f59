"use client";
import { isReplayOver, type ReplayView } from "@liverl/contract/replay";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { ReplayBody } from "#replays/replay-body.tsx";
import { REPLAY_SHORTCUTS } from "#replays/use-replay-keys.ts";
import { RunFrame } from "#runs/run-frame.tsx";
import { againHref, turnHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
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
  return (
    <RunFrame
      tab="rollouts"
      crumbs={crumbsOf(view, project, runId)}
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

function crumbsOf(view: ReplayView | undefined, project: string, runId: string) {
  if (!view) return [{ label: "Replay" }];
  return [
    { label: view.rolloutId, href: turnHref(project, runId, view) },
    { label: `Turn ${view.turn}, sampled again` },
  ];
}
