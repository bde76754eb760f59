import type { TurnView } from "@liverl/contract/turn-view";
import { Fragment, memo, useMemo } from "react";
import type { Known, Lens } from "#trajectories/prepare-lens.ts";
import { prepareRuns } from "#trajectories/prepare-runs.ts";
import styles from "#trajectories/trajectories.module.css";

/** How the tokens of a turn are to be shown. */
export interface Look extends Known {
  lens: Lens;
  /** Index of the chosen token in the node; null for none. */
  chosen: number | null;
  query: string;
  exact: boolean;
}

/** Tokens of one range from `from` to `to`; `data-index` names a run's first token to the turn's click handler. */
export const TokenRun = memo(function TokenRun({
  turn,
  from,
  to,
  look: { lens, advantage, clip, trained, chosen },
  hits,
  isControl = false,
}: {
  turn: TurnView;
  from: number;
  to: number;
  look: Look;
  hits: ReadonlySet<number>;
  isControl?: boolean;
}) {
  const runs = useMemo(
    () => prepareRuns(turn, { from, to }, { lens, advantage, clip, trained, chosen, hits }),
    [turn, from, to, lens, advantage, clip, trained, chosen, hits],
  );
  return (
    <>
      {runs.map((run) => (
        <Fragment key={run.index}>
          {run.resumedBy !== null && (
            <span className={styles.boundary}>
              weights v{run.resumedBy} · resumed after {run.index} tokens
            </span>
          )}
          <span
            className={`${styles.tok} ${run.tint === "" ? "" : (styles[run.tint] ?? "")} ${isControl ? styles.control : ""}`}
            data-index={run.index}
            data-on={run.isChosen || undefined}
            data-hit={run.isHit || undefined}
            data-clipped={run.isClipped || undefined}
            {...(run.isLossy && { "data-lossy": true, title: "From the client's text" })}
          >
            {run.text}
          </span>
        </Fragment>
      ))}
    </>
  );
});
