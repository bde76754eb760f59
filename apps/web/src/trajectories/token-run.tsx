import type { TurnView } from "@liverl/contract/views";
import { Fragment, memo } from "react";
import { findLossy } from "#trajectories/find-lossy.ts";
import { type Lens, tintOf } from "#trajectories/prepare-lens.ts";
import styles from "#trajectories/trajectories.module.css";

/** Tokens of one turn from `from` to `to`, each a span that can be chosen; `data-index` names it to the turn's click handler. */
export const TokenRun = memo(function TokenRun({
  turn,
  from,
  to,
  lens,
  chosen,
  hits,
  isControl = false,
}: {
  turn: TurnView;
  from: number;
  to: number;
  lens: Lens;
  /** Index of the chosen token in this turn; null for none. */
  chosen: number | null;
  hits: ReadonlySet<number>;
  isControl?: boolean;
}) {
  const spans = [];
  for (let index = from; index < to; index += 1) {
    const version = turn.tokens.versions?.[index] ?? null;
    const before = index > 0 ? (turn.tokens.versions?.[index - 1] ?? null) : null;
    const tint = tintOf(lens, turn, index);
    spans.push(
      <Fragment key={index}>
        {index > 0 && version !== null && before !== null && version !== before && (
          <span className={styles.boundary}>
            weights v{version} · resumed after {index} tokens
          </span>
        )}
        <span
          className={`${styles.tok} ${tint === "" ? "" : (styles[tint] ?? "")} ${isControl ? styles.control : ""}`}
          data-index={index}
          data-on={index === chosen || undefined}
          data-hit={hits.has(index) || undefined}
          {...lossyMarks(turn, index)}
        >
          {turn.tokens.text[index]}
        </span>
      </Fragment>,
    );
  }
  return <>{spans}</>;
});

const lossyMarks = (turn: TurnView, index: number) =>
  findLossy(turn, index) ? { "data-lossy": true, title: "From the client's text" } : {};
