"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { surpriseClass } from "#trajectories/prepare-lens.ts";
import { showToken, type TokenRow, tokenBytes, tokenKey } from "#trajectories/prepare-tokens.ts";
import styles from "#trajectories/trajectories.module.css";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatNumber, formatPercent } from "#ui/format-number.ts";

const ROW = 26;
const HEAD = 30;

/** Every token of the segment in order, a row each. */
export function TokensView({
  rows,
  chosen,
  onChoose,
}: {
  rows: readonly TokenRow[];
  chosen: TokenRow | null;
  onChoose: (key: string) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
  });
  const position = chosen?.position ?? null;
  useEffect(() => {
    if (position !== null) virtual.scrollToIndex(position, { align: "auto" });
  }, [position, virtual]);
  if (rows.length === 0)
    return (
      <EmptyState title="No tokens yet">
        They appear when the attempt's record is written.
      </EmptyState>
    );
  return (
    <div ref={scroller} className={`${styles.rows} scroll`}>
      <div className={`${styles.tokenRow} ${styles.tokenHead}`}>
        <span>Position</span>
        <span>Turn</span>
        <span>Role</span>
        <span>Token</span>
        <span className={styles.num}>Id</span>
        <span className={styles.num}>Mask</span>
        <span className={styles.num}>Log-prob</span>
        <span className={styles.num}>Probability</span>
        <span className={styles.num}>Weights</span>
      </div>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((place) => {
          const row = rows[place.index];
          if (!row) return null;
          return (
            <button
              key={row.position}
              type="button"
              className={styles.tokenRow}
              data-mask={row.mask}
              data-on={row.position === position || undefined}
              style={{
                position: "absolute",
                top: 0,
                left: 0,
                transform: `translateY(${place.start - HEAD}px)`,
              }}
              title={`bytes ${tokenBytes(row.text)}`}
              onClick={() => onChoose(tokenKey(row.nodeId, row.index))}
            >
              <span>{row.position}</span>
              <span>{row.turn ?? ""}</span>
              <span>{row.role}</span>
              <span
                className={`m ${styles.tok} ${row.logprob === null ? "" : (styles[`q${surpriseClass(-row.logprob)}`] ?? "")}`}
              >
                {showToken(row.text)}
              </span>
              <span className={`m ${styles.num}`}>{row.id}</span>
              <span className={styles.num}>{row.mask}</span>
              <span className={`m ${styles.num}`}>
                {row.logprob === null ? "—" : formatNumber(row.logprob)}
              </span>
              <span className={styles.num}>
                {row.logprob === null ? "—" : formatPercent(Math.exp(row.logprob), 2)}
              </span>
              <span className={`m ${styles.num}`}>
                {row.version === null ? "—" : `v${row.version}`}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
