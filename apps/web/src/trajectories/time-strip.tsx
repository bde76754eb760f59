"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { memo, useMemo, useState } from "react";
import {
  PHASE_LABELS,
  preparePhasePaths,
  prepareTimeline,
  type TimeBar,
  turnAt,
} from "#trajectories/prepare-timeline.ts";
import styles from "#trajectories/trajectories.module.css";
import { useVisibleTurn, type VisibleTurn } from "#trajectories/visible-turn.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatClock } from "#ui/format-time.ts";

const COLORS = {
  queue: "var(--ph-queue)",
  env: "var(--ph-wait)",
  generate: "var(--ph-think)",
  tool: "var(--ph-tool)",
  verify: "var(--ph-verify)",
} as const;

/** The attempt's time on one line, which scrolls the conversation: to the turn of the time that is clicked or dragged to. */
export function TimeStrip({
  view,
  visible,
  onTurn,
}: {
  view: TrajectoryView;
  visible: VisibleTurn;
  onTurn: (turn: number) => void;
}) {
  const strip = useMemo(() => prepareTimeline(view.timeline), [view.timeline]);
  const top = useVisibleTurn(visible);
  const [under, setUnder] = useState<TimeBar | null>(null);
  if (strip === null) return null;
  const { rollout, turns } = view;
  const number = turns.findLast(({ nodeId, turn }) => turn !== null && nodeId <= (top ?? -1))?.turn;
  const turn = number ?? null;
  const last = turns.findLast((one) => one.turn !== null)?.turn ?? 0;
  const marker = strip.bars.find((bar) => turn !== null && bar.turn === turn);
  const percentAt = ({ currentTarget, clientX }: React.PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    return ((clientX - box.left) / box.width) * 100;
  };
  const jump = (event: React.PointerEvent) => {
    const next = turnAt(strip.bars, percentAt(event));
    if (next !== null && next !== turn) onTurn(next);
  };
  return (
    <div className={styles.strip}>
      <div
        className={styles.line}
        role="slider"
        tabIndex={0}
        aria-label="Time of the attempt, by turn"
        aria-valuemin={last === 0 ? 0 : 1}
        aria-valuemax={last}
        aria-valuenow={turn ?? 0}
        aria-valuetext={turn === null ? "before the first turn" : `turn ${turn} of ${last}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          jump(event);
        }}
        onPointerMove={(event) => {
          const percent = percentAt(event);
          setUnder(
            strip.bars.find(({ left, width }) => percent >= left && percent < left + width) ?? null,
          );
          if (event.buttons === 1) jump(event);
        }}
        onPointerLeave={() => setUnder(null)}
        onKeyDown={(event) => {
          const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (by === undefined) return;
          // The page's own arrows go from token to token.
          event.stopPropagation();
          onTurn(Math.max(1, Math.min(last, (turn ?? 0) + by)));
        }}
      >
        <Bars bars={strip.bars} />
        {marker && <b className={styles.marker} style={{ left: `${marker.left}%` }} />}
      </div>
      <div className={styles.legend}>
        {strip.totals.map(({ phase, seconds }) => (
          <span key={phase}>
            <i className="sw" style={{ background: COLORS[phase] }} />
            {PHASE_LABELS[phase]} {formatDuration(seconds)}
          </span>
        ))}
        <span className="end">
          {under
            ? `${PHASE_LABELS[under.phase]} ${formatDuration(under.seconds)}${under.turn === null ? "" : `, turn ${under.turn}`}`
            : `${rollout.startedAt ? formatClock(rollout.startedAt) : ""}${turn === null ? "" : ` · turn ${turn} of ${last}`} · click or drag to scroll`}
        </span>
      </div>
    </div>
  );
}

/** Hundreds of a long attempt, one shape a phase, which stay as they are while its conversation scrolls. */
const Bars = memo(function Bars({ bars }: { bars: readonly TimeBar[] }) {
  return (
    <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      {preparePhasePaths(bars).map(({ phase, path }) => (
        <path key={phase} d={path} style={{ fill: COLORS[phase] }} />
      ))}
    </svg>
  );
});
