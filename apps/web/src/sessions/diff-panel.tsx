"use client";
import type { ForkView, MessageExcerpt } from "@liverl/contract/session-view";
import { ActionIcon } from "@mantine/core";
import { useMemo, useState } from "react";
import { type DiffSide, prepareTokenDiff } from "#sessions/prepare-token-diff.ts";
import type { TreeFork } from "#sessions/prepare-tree.ts";
import styles from "#sessions/sessions.module.css";
import { showToken } from "#trajectories/prepare-tokens.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Panel } from "#ui/panel.tsx";
import { Skeleton } from "#ui/skeleton.tsx";

const TOKENS_SHOWN = 14;

/** The ids around a fork on the stored path and on the call's own, and the messages that they belong to. */
export function DiffPanel({
  fork,
  count,
  diff,
  error,
  onRetry,
  onStep,
}: {
  fork: TreeFork;
  /** Of all forks. */
  count: number;
  diff: ForkView | undefined;
  error: unknown;
  onRetry: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  return (
    <Panel
      className={styles.wraps}
      label="Token diff at the fork"
      title={
        <>
          Token diff at the fork <span className="tag m">{fork.reason}</span>
        </>
      }
      note={
        diff && (
          <span className={styles.roomy}>
            position {diff.position.toLocaleString("en-US")} · call {fork.call.id}
          </span>
        )
      }
      right={
        <>
          <ActionIcon
            variant="default"
            size={24}
            aria-label="Previous fork"
            title="Previous fork (←)"
            disabled={fork.number <= 1}
            onClick={() => onStep(-1)}
          >
            <Icon name="chevl" size={13} />
          </ActionIcon>
          <span className="f12 i3 nowrap" style={{ fontWeight: 400 }}>
            {fork.number} of {count}
          </span>
          <ActionIcon
            variant="default"
            size={24}
            aria-label="Next fork"
            title="Next fork (→)"
            disabled={fork.number >= count}
            onClick={() => onStep(1)}
          >
            <Icon name="chev" size={13} />
          </ActionIcon>
        </>
      }
    >
      {diff ? (
        <Diff key={fork.call.id} diff={diff} />
      ) : error ? (
        <ErrorState what="This difference could not be read" error={error} onRetry={onRetry} />
      ) : fork.call.promptNodeId === null ? (
        <EmptyState title="No tokens to compare">
          The call was refused, so its prompt never came into the tree.
        </EmptyState>
      ) : (
        <div className="pb">
          <Skeleton height={96} />
        </div>
      )}
    </Panel>
  );
}

function Diff({ diff }: { diff: ForkView }) {
  const prepared = useMemo(() => prepareTokenDiff(diff), [diff]);
  const { stored, asked } = prepared;
  const shared = diff.shared.slice(-3);
  const missing = Math.max(0, diff.position - shared.length);
  return (
    <>
      {stored && (
        <Side label="Stored path" side={stored} shared={shared} missing={missing} tone="del" />
      )}
      <Side
        label="This call"
        side={asked}
        shared={shared}
        missing={missing}
        tone={stored ? "add" : "same"}
      />
      <div className={styles.messages}>
        {diff.stored && <Messages label="Stored path, messages" rows={diff.stored.messages} />}
        <Messages label="This call, messages" rows={diff.asked.messages} />
      </div>
    </>
  );
}

function Side({
  label,
  side: { tokens, more },
  shared,
  missing,
  tone,
}: {
  label: string;
  side: DiffSide;
  shared: readonly { id: number; text: string }[];
  missing: number;
  tone: "del" | "add" | "same";
}) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? tokens : tokens.slice(0, TOKENS_SHOWN);
  const hidden = tokens.length - shown.length + more;
  return (
    <div className={styles.tokens} role="group" aria-label={label}>
      <span className={styles.tokensLabel}>{label}</span>
      {missing > 0 && <Token text="…" below={`${missing.toLocaleString("en-US")} before`} />}
      {shared.map((token, i) => (
        // A place in a fixed list.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Token key={i} text={showToken(token.text)} below={String(token.id)} />
      ))}
      {shown.map((token, i) => (
        <Token
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          key={i}
          text={showToken(token.text)}
          below={String(token.id)}
          tone={token.differs ? tone : "same"}
        />
      ))}
      {tokens.length === 0 && more === 0 && <Token text="∅" below="ends here" />}
      {hidden > 0 &&
        (isOpen || tokens.length === shown.length ? (
          <Token text="…" below={`${hidden.toLocaleString("en-US")} more`} />
        ) : (
          <button type="button" className={styles.token} onClick={() => setOpen(true)}>
            …<small>{hidden.toLocaleString("en-US")} more</small>
          </button>
        ))}
    </div>
  );
}

function Token({
  text,
  below,
  tone = "same",
}: {
  text: string;
  below: string;
  tone?: "del" | "add" | "same";
}) {
  return (
    <span className={styles.token} data-tone={tone}>
      {text}
      <small>{below}</small>
    </span>
  );
}

function Messages({ label, rows }: { label: string; rows: readonly MessageExcerpt[] }) {
  return (
    <section aria-label={label}>
      <h3 className="i3">{label}</h3>
      {rows.length === 0 && <p className="i3">It ends before.</p>}
      {rows.map((row) => (
        <div key={row.number} className={styles.message}>
          <span className="i3">{row.number}</span>
          <span className="i2">{row.role}</span>
          <span className={styles.messageText}>
            {row.before}
            {row.changed !== "" && <mark>{row.changed}</mark>}
            {row.after}
            {row.before + row.changed + row.after === "" && <span className="i3">empty</span>}
          </span>
        </div>
      ))}
    </section>
  );
}
