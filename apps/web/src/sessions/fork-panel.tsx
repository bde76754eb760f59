"use client";
import type { ForkView } from "@liverl/contract/session-view";
import { FORK_WORDS } from "#sessions/fork-words.ts";
import type { PreparedTree, TreeFork, TreeRow } from "#sessions/prepare-tree.ts";
import styles from "#sessions/sessions.module.css";
import { VirtualRows } from "#sessions/virtual-rows.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatExact } from "#ui/format-time.ts";
import { Panel } from "#ui/panel.tsx";

/** Why a path begins where it does, and every fork of the session. */
export function ForkPanel({
  tree,
  fork,
  diff,
  onFork,
  onCall,
}: {
  tree: PreparedTree;
  fork: TreeFork | null;
  diff: ForkView | undefined;
  onFork: (callId: number) => void;
  onCall: (callId: number) => void;
}) {
  if (!fork)
    return (
      <Panel title="Forks">
        <EmptyState title="No fork">
          Every call goes on where the one before it ended: one line, nothing rebuilt.
        </EmptyState>
      </Panel>
    );
  return (
    <Panel title={`Fork ${fork.number}`} note={<span className="tag m">{fork.reason}</span>}>
      <div className="pb col" style={{ gap: 8 }}>
        <p className="i2">{FORK_WORDS[fork.reason].long}</p>
        {diff && diff.position > 0 && <Shared diff={diff} fork={fork} />}
        <dl className={styles.facts}>
          <dt>Call</dt>
          <dd>
            {fork.call.id}, {formatExact(fork.call.startedAt).slice(-8)}
          </dd>
          <dt>Prefix shared</dt>
          <dd>
            {diff
              ? `${Math.min(diff.position, diff.promptTokens).toLocaleString("en-US")} of ${diff.promptTokens.toLocaleString("en-US")} tokens`
              : "—"}
          </dd>
          <dt>Matched by</dt>
          <dd>
            {fork.call.rewritten ? "tool-call ids; the text differed" : "tool-call ids, then text"}
          </dd>
          <LinkFact tree={tree} fork={fork} />
          <dt>Now</dt>
          <dd>{fork.outcome}</dd>
        </dl>
        <div className="row">
          <button type="button" className="btn sm" onClick={() => onCall(fork.call.id)}>
            Open call {fork.call.id}
          </button>
        </div>
      </div>
      <div style={{ borderTop: "1px solid var(--line)" }}>
        <VirtualRows
          label="Forks"
          columns={["#", "Reason", "Call", "Outcome"]}
          widths="18px minmax(0, 1.2fr) 56px minmax(0, 1fr)"
          rows={tree.forks}
          rowHeight={26}
          height={182}
          keyOf={({ call }) => call.id}
          chosen={fork.call.id}
          onChoose={onFork}
        >
          {(one) => (
            <>
              <span role="cell" className="i3">
                {one.number}
              </span>
              <span role="cell" className="m trunc">
                {one.reason}
              </span>
              <span role="cell" className="i3">
                call {one.call.id}
              </span>
              <span role="cell" className="i2 trunc">
                {one.outcome}
              </span>
            </>
          )}
        </VirtualRows>
      </div>
    </Panel>
  );
}

function Shared({ diff, fork }: { diff: ForkView; fork: TreeFork }) {
  const { planned } = FORK_WORDS[fork.reason];
  const sampled =
    diff.sampledBefore === 0
      ? "No sampled token stands before it."
      : `The ${diff.sampledBefore.toLocaleString("en-US")} sampled tokens before it stay where they are and train once.`;
  return (
    <div className={planned ? "note" : "note warn"} style={{ alignItems: "flex-start" }}>
      <span>
        The shared prefix ends at {diff.position.toLocaleString("en-US")}. {sampled}
      </span>
    </div>
  );
}

const pathName = (row: TreeRow | undefined) =>
  row?.segmentId == null ? row?.name : `path ${row.segmentId}, ${row.name}`;

/** From which row a branch or a linked root comes. */
function LinkFact({ tree, fork }: { tree: PreparedTree; fork: TreeFork }) {
  const row = fork.row === null ? undefined : tree.rows[fork.row];
  if (!row) return null;
  const from = row.parent ?? tree.rowOf.get(row.linkedFrom ?? -1);
  if (from === undefined) return null;
  return (
    <>
      <dt>{row.isRoot ? "Made from" : "Leaves"}</dt>
      <dd>
        {pathName(tree.rows[from])}
        {row.isRoot ? "" : ` at ${row.start.toLocaleString("en-US")}`}
      </dd>
    </>
  );
}
