import type { TrajectoryView } from "@liverl/contract/views";
import { useMemo } from "react";
import { PHASE_LABELS, prepareTimeline } from "#trajectories/prepare-timeline.ts";
import styles from "#trajectories/trajectories.module.css";
import { formatDuration } from "#ui/format-duration.ts";
import { formatClock } from "#ui/format-time.ts";

const COLORS = {
  queue: "var(--ph-queue)",
  env: "var(--ph-wait)",
  generate: "var(--ph-think)",
  tool: "var(--ph-tool)",
  verify: "var(--ph-verify)",
} as const;

/** The attempt's time on one line; a part that belongs to a turn jumps to it. */
export function TimeStrip({
  view,
  currentTurn,
  onTurn,
}: {
  view: TrajectoryView;
  currentTurn: number | null;
  onTurn: (turn: number) => void;
}) {
  const strip = useMemo(() => prepareTimeline(view.timeline), [view.timeline]);
  if (strip === null) return null;
  const { rollout } = view;
  return (
    <div className={styles.strip}>
      <div className={styles.line} role="group" aria-label="Time of the attempt">
        {strip.bars.map((bar, at) => {
          const { turn } = bar;
          const words = `${PHASE_LABELS[bar.phase]} ${formatDuration(bar.seconds)}${turn === null ? "" : `, turn ${turn}`}`;
          // Parts have no identity but their place in time.
          const key = `${at} ${bar.phase}`;
          return (
            <button
              key={key}
              type="button"
              tabIndex={turn === null ? -1 : 0}
              title={words}
              aria-label={words}
              data-phase={bar.phase}
              data-turn={turn ?? undefined}
              data-on={(turn !== null && turn === currentTurn) || undefined}
              style={{ left: `${bar.left}%`, width: `calc(${bar.width}% - 1px)` }}
              onClick={() => turn !== null && onTurn(turn)}
            />
          );
        })}
      </div>
      <div className={styles.legend}>
        {strip.totals.map(({ phase, seconds }) => (
          <span key={phase}>
            <i className="sw" style={{ background: COLORS[phase] }} />
            {PHASE_LABELS[phase]} {formatDuration(seconds)}
          </span>
        ))}
        <span className="end">
          {rollout.startedAt && formatClock(rollout.startedAt)}
          {currentTurn !== null && ` · turn ${currentTurn} of ${rollout.turns}`} · click to jump
        </span>
      </div>
    </div>
  );
}
