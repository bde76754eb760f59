"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { RunFrame } from "#runs/run-frame.tsx";
import { SessionView } from "#sessions/session-view.tsx";
import type { Crumb } from "#shell/crumbs.tsx";
import { groupHref, runHref, stepHref, trajectoryHref } from "#shell/links.ts";
import { useRoutePart, useRunRoute } from "#shell/use-route.ts";
import { TerminalView } from "#terminals/terminal-view.tsx";
import { ConversationView } from "#trajectories/conversation-view.tsx";
import { FilesView } from "#trajectories/files-view.tsx";
import { PatchView } from "#trajectories/patch-view.tsx";
import { PhaseBar } from "#trajectories/phase-bar.tsx";
import { RawView } from "#trajectories/raw-view.tsx";
import { TimeStrip } from "#trajectories/time-strip.tsx";
import { TokensView } from "#trajectories/tokens-view.tsx";
import styles from "#trajectories/trajectories.module.css";
import { TrajectoryHead } from "#trajectories/trajectory-head.tsx";
import { useInspector } from "#trajectories/use-inspector.ts";
import { INSPECTOR_SHORTCUTS, useInspectorKeys } from "#trajectories/use-inspector-keys.ts";
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

export function TrajectoryPage() {
  const { project, runId } = useRunRoute();
  const rolloutId = useRoutePart("rollout");
  const inspector = useInspector();
  const trpc = useTRPC();
  const query = useQuery(
    trpc.trajectory.get.queryOptions(
      { rolloutId, ...(inspector.seg === null ? {} : { segmentId: inspector.seg }) },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
          state.data && ["queued", "running"].includes(state.data.rollout.status)
            ? REFRESH_MS
            : false,
      },
    ),
  );
  const view = query.data;
  return (
    <RunFrame
      tab="rollouts"
      crumbs={crumbsOf(view, project, runId, rolloutId)}
      shortcuts={INSPECTOR_SHORTCUTS}
      fills
      compact
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
  const { turns, rollout, group } = view;
  const of = useMemo(
    () => ({
      rolloutId: rollout.rolloutId,
      ...(inspector.seg === null ? {} : { segmentId: inspector.seg }),
    }),
    [rollout.rolloutId, inspector.seg],
  );
  const token = useToken(of, turns, inspector.tok);
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
    if (next) router.push(hrefOf(next.rolloutId));
  };
  const compareHref = group.length > 1 ? groupHref(project, runId, rollout.groupId) : null;
  useInspectorKeys(inspector, {
    turns,
    token,
    onJump,
    onSibling,
    onCompare: () => compareHref && router.push(compareHref),
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
            logHrefOf={(at) => runHref(project, runId, `logs?${new URLSearchParams({ t: at })}`)}
          />
        )}
        {inspector.tab === "tokens" && (
          <TokensView
            of={of}
            turns={turns}
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
    </>
  );
}

function crumbsOf(
  view: TrajectoryView | undefined,
  project: string,
  runId: string,
  rolloutId: string,
): Crumb[] {
  if (!view) return [{ label: rolloutId }];
  const { rollout } = view;
  const step: Crumb[] =
    rollout.step === null
      ? []
      : [
          {
            label: `Step ${rollout.step}`,
            href:
              stepHref(project, runId, rollout.step) +
              (rollout.mode === "eval" ? "?mode=eval" : ""),
          },
        ];
  return [
    ...step,
    { label: rollout.taskName, href: groupHref(project, runId, rollout.groupId) },
    { label: `Rollout ${rollout.index + 1}` },
  ];
}
