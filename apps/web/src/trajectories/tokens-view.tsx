"use client";
import type { OfSegment, TurnOutline } from "@liverl/contract/turn-view";
import type { TrajectoryView } from "@liverl/contract/views";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { SURPRISE_EDGES, sequentialTint } from "#trajectories/prepare-lens.ts";
import {
  countTokens,
  positionOf,
  showToken,
  type TokenRow,
  tokenBytes,
  tokenKey,
} from "#trajectories/prepare-tokens.ts";
import { formatTokenRatio } from "#trajectories/token-facts.tsx";
import styles from "#trajectories/trajectories.module.css";
import { useTokenRows } from "#trajectories/use-tokens.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatNumber, formatPercent } from "#ui/format-number.ts";

const ROW = 26;
const HEAD = 30;

/** Every token of the segment in order, a row each; read by page as they come into view. */
export function TokensView({
  of,
  turns,
  trained,
  chosen,
  onChoose,
}: {
  of: OfSegment;
  turns: readonly TurnOutline[];
  trained: TrajectoryView["trained"];
  /** Key of the chosen token. */
  chosen: string | null;
  onChoose: (key: string) => void;
}) {
  const count = countTokens(turns);
  const isRecorded = trained.update !== null;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
  });
  const position = positionOf(turns, chosen);
  useEffect(() => {
    if (position !== null) virtual.scrollToIndex(position, { align: "auto" });
  }, [position, virtual]);
  const places = virtual.getVirtualItems();
  const rowOf = useTokenRows(
    of,
    turns,
    [places[0]?.index ?? 0, places.at(-1)?.index ?? -1],
    isRecorded,
  );
  if (count === 0)
    return (
      <EmptyState title="No tokens yet">
        They appear as soon as the agent calls the model.
      </EmptyState>
    );
  return (
    <div ref={scroller} className={`${styles.rows} scroll`} data-recorded={isRecorded || undefined}>
      <div className={`${styles.tokenRow} ${styles.tokenHead}`}>
        <span>Position</span>
        <span>Turn</span>
        <span>Role</span>
        <span>Token</span>
        <span className={styles.num}>Id</span>
        <span className={styles.num}>Mask</span>
        <span className={styles.num}>Log-prob</span>
        <span className={styles.num}>Probability</span>
        {isRecorded && <UpdateHeads />}
        <span className={styles.num}>Weights</span>
      </div>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {places.map((place) => (
          <Row
            key={place.index}
            position={place.index}
            row={rowOf(place.index)}
            isRecorded={isRecorded}
            isOn={place.index === position}
            top={place.start - HEAD}
            onChoose={onChoose}
          />
        ))}
      </div>
    </div>
  );
}

/** Columns of what the update that took the segment computed. */
function UpdateHeads() {
  return (
    <>
      <span className={styles.num}>Trainer</span>
      <span className={styles.num}>|Δ log-prob|</span>
      <span className={styles.num}>Ratio</span>
      <span className={styles.num}>Entropy</span>
      <span className={styles.num}>Advantage</span>
      <span className={styles.num}>Value</span>
    </>
  );
}

function UpdateCells({ trained }: { trained: TokenRow["trained"] }) {
  const { ratio = null, isClipped = false } = trained ?? {};
  return (
    <>
      <span className={styles.num}>{formatNumber(trained?.logprob)}</span>
      <span className={styles.num}>{formatNumber(trained?.mismatch)}</span>
      <span className={styles.num} title={isClipped ? "The loss cut its gradient" : undefined}>
        <span className={styles.tok} data-clipped={isClipped || undefined}>
          {ratio === null ? "—" : formatTokenRatio(ratio)}
        </span>
      </span>
      <span className={styles.num}>{formatNumber(trained?.entropy)}</span>
      <span className={styles.num}>{formatNumber(trained?.advantage)}</span>
      <span className={styles.num}>{formatNumber(trained?.value)}</span>
    </>
  );
}

function Row({
  position,
  row,
  isRecorded,
  isOn,
  top,
  onChoose,
}: {
  position: number;
  /** Null until its page is there. */
  row: TokenRow | null;
  isRecorded: boolean;
  isOn: boolean;
  top: number;
  onChoose: (key: string) => void;
}) {
  const { logprob = null, version = null } = row ?? {};
  return (
    <button
      type="button"
      className={styles.tokenRow}
      data-mask={row?.mask ?? 0}
      data-on={isOn || undefined}
      style={{ position: "absolute", top: 0, left: 0, transform: `translateY(${top}px)` }}
      title={row ? `bytes ${tokenBytes(row.text)}` : undefined}
      aria-busy={row === null}
      onClick={() => row && onChoose(tokenKey(row.nodeId, row.index))}
    >
      <span>{position}</span>
      <span>{row?.turn ?? ""}</span>
      <span>{row?.role ?? "…"}</span>
      <span
        className={`m ${styles.tok} ${logprob === null ? "" : (styles[sequentialTint(-logprob, SURPRISE_EDGES)] ?? "")}`}
      >
        {row && showToken(row.text)}
      </span>
      <span className={`m ${styles.num}`}>{row?.id}</span>
      <span className={styles.num}>{row?.mask}</span>
      <span className={styles.num}>{logprob === null ? "—" : formatNumber(logprob)}</span>
      <span className={styles.num}>
        {logprob === null ? "—" : formatPercent(Math.exp(logprob), 2)}
      </span>
      {isRecorded && <UpdateCells trained={row?.trained ?? null} />}
      <span className={version === null ? styles.num : `m ${styles.num}`}>
        {version === null ? "—" : `v${version}`}
      </span>
    </button>
  );
}
