"use client";
import type { OfSegment } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState } from "react";
import { ReplayDialog } from "#replays/replay-dialog.tsx";
import { RunFrame } from "#runs/run-frame.tsx";
import { SessionView } from "#sessions/session-view.tsx";
import { groupHref, runHref, trajectoryHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
import { TerminalView } from "#terminals/terminal-view.tsx";
import { ConversationView } from "#trajectories/conversation-view.tsx";
import { FilesView } from "#trajectories/files-view.tsx";
import { PatchView } from "#trajectories/patch-view.tsx";
import { PhaseBar } from "#trajectories/phase-bar.tsx";
import { RawView } from "#trajectories/raw-view.tsx";
import { rolloutCrumbs } from "#trajectories/rollout-crumbs.ts";
import { TimeStrip } from "#trajectories/time-strip.tsx";
import { TokensView } from "#trajectories/tokens-view.tsx";
import styles from "#trajectories/trajectories.module.css";
import { TrajectoryHead } from "#trajectories/trajectory-head.tsx";
import { useInspector } from "#trajectories/use-inspector.ts";
import { INSPECTOR_SHORTCUTS, useInspectorKeys } from "#trajectories/use-inspector-keys.ts";
import { useOpenTrajectory } from "#trajectories/use-open-trajectory.ts";
import { useRenewal } from "#trajectories/use-renewal.ts";
import { useToken } from "#trajectories/use-tokens.ts";
import { VerifierView } from "#trajectories/verifier-view.tsx";
import { ViewTabs } from "#trajectories/view-tabs.tsx";
import { createVisibleTurn } from "#trajectories/visible-turn.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Skeleton, SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

const REFRESH_MS = 1_500;
/** An update comes seconds after its rollouts. */
const UPDATE_MS = 5_000;

export function TrajectoryPage() {
  const { project, runId } = useRunRoute();
  const rolloutId = useRoutePart("rollout");
  const inspector = useInspector();
  const trpc = useTRPC();
  const open = useOpenTrajectory();
  // In the first render and not after its paint, as `useQuery` does. Of a link that was pressed it is under way already.
  useState(
    () => typeof window !== "undefined" && open(segmentOf(rolloutId, inspector.seg), inspector),
  );
  const query = useQuery(
    trpc.trajectory.get.queryOptions(segmentOf(rolloutId, inspector.seg), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) =>
        data && ["queued", "running"].includes(data.rollout.status)
          ? REFRESH_MS
          : data?.trained.isPending && UPDATE_MS,
    }),
  );
  const view = query.data;
  const again = view && againTurn(view, inspector.turn);
  return (
    <RunFrame
      tab="rollouts"
      crumbs={rolloutCrumbs(view?.rollout, project, runId, rolloutId)}
      shortcuts={INSPECTOR_SHORTCUTS}
      fills
      compact
      acts={
        again
          ? [
              {
                id: "sample-again",
                label: `Sample turn ${again} again…`,
                description: rolloutId,
                onClick: () => void inspector.set({ again }),
              },
            ]
          : []
      }
    >
      {view ? (
        <InspectorBody key={view.rollout.rolloutId} view={view} project={project} runId={runId} />
      ) : query.isError ? (
        <ErrorState
          what="This rollout could not be read"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <div className={styles.top} role="status" aria-label="Loading">
          <Skeleton height={28} width="min(420px, 100%)" />
          <Skeleton height={52} radius={7} />
          <SkeletonRows rows={9} height={56} />
        </div>
      )}
    </RunFrame>
  );
}

function InspectorBody({
  view,
  project,
  runId,
}: {
  view: TrajectoryView;
  project: string;
  runId: string;
}) {
  const inspector = useInspector();
  const router = useRouter();
  const open = useOpenTrajectory();
  const { turns, rollout, group } = view;
  const of = useMemo(
    () => segmentOf(rollout.rolloutId, inspector.seg),
    [rollout.rolloutId, inspector.seg],
  );
  const isRecorded = view.trained.update !== null;
  const token = useToken(of, turns, inspector.tok, isRecorded);
  const [visible] = useState(createVisibleTurn);
  useRenewal(view);
  const hrefOf = (id: string) => {
    // The lens and the view stay when one goes to a sibling; the turn and the token are of this rollout alone.
    const kept = new URLSearchParams();
    if (inspector.tab !== "conversation") kept.set("tab", inspector.tab);
    if (inspector.lens !== "none") kept.set("lens", inspector.lens);
    const text = kept.toString();
    return trajectoryHref(project, runId, id) + (text === "" ? "" : `?${text}`);
  };
  const onJump = (nodeId: number) => void inspector.set({ turn: nodeId, tab: "conversation" });
  const onSibling = (by: 1 | -1) => {
    const next = group[group.findIndex((sibling) => sibling.rolloutId === rollout.rolloutId) + by];
    if (!next) return;
    open({ rolloutId: next.rolloutId }, { ...inspector, turn: null });
    router.push(hrefOf(next.rolloutId));
  };
  const { set } = inspector;
  const onAgain = useCallback((again: number) => void set({ again }), [set]);
  const compareHref = group.length > 1 ? groupHref(project, runId, rollout.groupId) : null;
  useInspectorKeys(inspector, {
    turns,
    onJump,
    onSibling,
    onCompare: () => compareHref && router.push(compareHref),
    onAgain: () => {
      const again = againTurn(view, inspector.turn ?? visible.get());
      if (again) onAgain(again);
    },
  });
  const segment = view.segments.find((known) => known.id === (inspector.seg ?? view.segmentId));
  return (
    <>
      <TrajectoryHead
        view={view}
        groupHref={compareHref}
        hrefOf={hrefOf}
        onSibling={onSibling}
        onIntegrity={() => void inspector.set({ tab: "verifier" }, { history: "push" })}
      />
      {view.phases.length > 0 && rollout.status !== "succeeded" && (
        <PhaseBar phases={view.phases} />
      )}
      <TimeStrip
        view={view}
        visible={visible}
        onTurn={(number) => {
          const found = turns.find((turn) => turn.turn === number);
          if (found) onJump(found.nodeId);
        }}
      />
      <ViewTabs
        view={view}
        tab={inspector.tab}
        segment={inspector.seg}
        onTab={(tab) => void inspector.set({ tab }, { history: "push" })}
        onSegment={(seg) => void inspector.set({ seg, tok: null, turn: null })}
      />
      {segment && !segment.trainable && !view.live && (
        <p className="note warn" role="status" style={{ borderRadius: 0 }}>
          <StatusDot kind="warn" />
          This segment trains nothing: {segment.reason ?? "no reason is given"}.
        </p>
      )}
      <div className={styles.view}>
        {inspector.tab === "conversation" && (
          <ConversationView
            of={of}
            view={view}
            visible={visible}
            inspector={inspector}
            token={token}
            onJump={onJump}
            onAgain={view.runId === null ? null : onAgain}
            logHrefOf={(at) => runHref(project, runId, `logs?${new URLSearchParams({ t: at })}`)}
          />
        )}
        {inspector.tab === "tokens" && (
          <TokensView
            of={of}
            turns={turns}
            trained={view.trained}
            chosen={inspector.tok}
            onChoose={(tok) => void inspector.set({ tok })}
          />
        )}
        {inspector.tab === "patch" && <PatchView patch={view.patch} />}
        {inspector.tab === "verifier" && <VerifierView view={view} hrefOf={hrefOf} />}
        {inspector.tab === "terminal" && (
          <TerminalView
            key={rollout.rolloutId}
            view={view}
            pane={inspector.term}
            onPane={(term) => void inspector.set({ term })}
          />
        )}
        {inspector.tab === "tree" && (
          <SessionView
            sessionId={rollout.sessionId}
            mayBegin={rollout.status === "queued" || rollout.status === "running"}
            what="One rollout"
          />
        )}
        {inspector.tab === "raw" && (
          <RawView
            sessionId={rollout.sessionId}
            mayBegin={rollout.status === "queued" || rollout.status === "running"}
          />
        )}
        {inspector.tab === "files" && (
          <FilesView
            view={view}
            path={inspector.file}
            onPath={(file) => void inspector.set({ file })}
          />
        )}
      </div>
      <ReplayDialog
        of={of}
        turn={inspector.again}
        project={project}
        runId={runId}
        onClose={() => void inspector.set({ again: null })}
      />
    </>
  );
}

const segmentOf = (rolloutId: string, seg: number | null): OfSegment => ({
  rolloutId,
  ...(seg === null ? {} : { segmentId: seg }),
});

/** Number of the sampled turn at a node, or of the next one after it; the first where no node is named. */
function againTurn({ runId, turns }: TrajectoryView, nodeId: number | null): number | null {
  if (runId === null) return null;
  const at = Math.max(
    0,
    turns.findIndex((turn) => turn.nodeId === nodeId),
  );
  const sampled = turns.slice(at).find(({ turn }) => turn !== null);
  return sampled?.turn ?? turns.findLast(({ turn }) => turn !== null)?.turn ?? null;
}
