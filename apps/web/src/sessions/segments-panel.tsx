"use client";
import type { SessionOutline } from "@liverl/contract/session-view";
import type { PreparedTree } from "#sessions/prepare-tree.ts";
import styles from "#sessions/sessions.module.css";
import { VirtualRows } from "#sessions/virtual-rows.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";
import { StatusWord } from "#ui/status-word.tsx";

/** What the trainer gets: each path from a root to a leaf. A segment chooses the fork that its row begins at. */
export function SegmentsPanel({
  session,
  tree,
  chosen,
  onFork,
}: {
  session: SessionOutline;
  tree: PreparedTree;
  /** Index of the row that stands out. */
  chosen: number | null;
  onFork: (callId: number) => void;
}) {
  // In the order of the paths beside them.
  const rank = (leafNodeId: number) => tree.rowOf.get(leafNodeId) ?? Number.POSITIVE_INFINITY;
  const segments = [...session.segments].sort((a, b) => rank(a.leafNodeId) - rank(b.leafNodeId));
  const rowOf = (leafNodeId: number) => tree.rows[tree.rowOf.get(leafNodeId) ?? -1];
  const on = segments.find(
    ({ leafNodeId }) => chosen !== null && tree.rowOf.get(leafNodeId) === chosen,
  );
  return (
    <Panel
      title="Segments"
      note={session.live ? "root to leaf, if it ended now" : "root to leaf, what trains"}
    >
      {segments.length === 0 ? (
        <EmptyState title="No segment yet">The first answer makes one.</EmptyState>
      ) : (
        <VirtualRows
          label="Segments"
          columns={["Path", "#Tokens", "#Trained", "Trainable"]}
          widths="minmax(84px, 1.3fr) 56px 52px minmax(78px, 1fr)"
          rows={segments}
          rowHeight={28}
          height={196}
          keyOf={({ id }) => id}
          chosen={on?.id ?? null}
          onChoose={(id) => {
            const fork = rowOf(
              segments.find((segment) => segment.id === id)?.leafNodeId ?? -1,
            )?.fork;
            if (fork) onFork(fork.call.id);
          }}
        >
          {(segment) => (
            <>
              <span role="cell" className="trunc">
                <span className={styles.pathNumber}>{segment.id}</span>{" "}
                {rowOf(segment.leafNodeId)?.name ?? "Path"}
              </span>
              <span role="cell" className="num">
                {formatCount(segment.tokens)}
              </span>
              <span role="cell" className="num">
                {formatCount(segment.trainedTokens)}
              </span>
              <span role="cell" className="trunc">
                {segment.trainable ? (
                  <StatusWord kind="ok">yes</StatusWord>
                ) : (
                  <span className="i3">
                    <StatusWord kind="off">{segment.reason ?? "no"}</StatusWord>
                  </span>
                )}
              </span>
            </>
          )}
        </VirtualRows>
      )}
    </Panel>
  );
}
