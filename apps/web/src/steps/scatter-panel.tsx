"use client";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState } from "react";
import { drawRing, drawScatter, placePoints } from "#steps/draw-scatter.ts";
import { nearestPoint, type Scatter } from "#steps/prepare-scatter.ts";
import styles from "#steps/steps.module.css";
import { type Brush, useCanvas } from "#steps/use-canvas.ts";
import { formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";

const REACH = 12;

/** Every finished rollout by outcome and length; a click opens it. The keyboard walks them with ← and →. */
export function ScatterPanel({
  scatter,
  hrefOf,
}: {
  scatter: Scatter;
  hrefOf: (rolloutId: string) => string;
}) {
  const router = useRouter();
  const { ref: sizeRef, width, height } = useElementSize<HTMLCanvasElement>();
  const placed = useMemo(() => placePoints(scatter, width, height), [scatter, width, height]);
  const [hotId, setHotId] = useState<string | null>(null);
  const hot = placed.find((point) => point.rolloutId === hotId) ?? null;
  const draw = useCallback(
    (brush: Brush) => {
      drawScatter(brush, scatter);
      const ringed = placePoints(scatter, brush.width, brush.height).find(
        (point) => point.rolloutId === hotId,
      );
      if (ringed) drawRing(brush, ringed);
    },
    [scatter, hotId],
  );
  const canvas = useMergedRef(useCanvas(draw), sizeRef);
  const sorted = useMemo(() => [...placed].sort((a, b) => a.px - b.px), [placed]);
  const walk = (by: number) => {
    const at = sorted.findIndex((point) => point.rolloutId === hotId);
    const next = sorted[at < 0 ? 0 : Math.max(0, Math.min(sorted.length - 1, at + by))];
    if (next) setHotId(next.rolloutId);
  };
  return (
    <Panel title="Reward × length" right={<Legend />}>
      <div
        className={styles.plot}
        data-hot={hot ? true : undefined}
        data-walks
        role="slider"
        tabIndex={0}
        aria-label={`Rollouts by outcome and length: ${scatter.counts.solved} solved, ${scatter.counts.failed} failed, ${scatter.counts["no reward"]} without reward. Arrow keys walk them, Enter opens one.`}
        aria-valuemin={0}
        aria-valuemax={sorted.length}
        aria-valuenow={sorted.findIndex((point) => point.rolloutId === hotId) + 1}
        aria-valuetext={hot ? `${hot.label}, ${formatCount(hot.tokens)} tokens` : "none chosen"}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setHotId(
            nearestPoint(placed, event.clientX - box.left, event.clientY - box.top, REACH)
              ?.rolloutId ?? null,
          );
        }}
        onPointerLeave={() => setHotId(null)}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const point = nearestPoint(
            placed,
            event.clientX - box.left,
            event.clientY - box.top,
            REACH,
          );
          if (point) router.push(hrefOf(point.rolloutId));
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && hot) router.push(hrefOf(hot.rolloutId));
          if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
          event.preventDefault();
          walk(event.key === "ArrowRight" ? 1 : -1);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {hot && (
          <span
            className={styles.tip}
            style={{
              top: Math.max(0, hot.py - 32),
              ...(hot.px > width / 2 ? { right: width - hot.px + 8 } : { left: hot.px + 8 }),
            }}
          >
            {hot.label} · {formatCount(hot.tokens)} tokens
          </span>
        )}
      </div>
    </Panel>
  );
}

function Legend() {
  return (
    <span className={styles.legend}>
      <span>
        <svg width="9" height="9" aria-hidden="true">
          <circle cx="4.5" cy="4.5" r="3.5" fill="var(--c1)" opacity=".75" />
        </svg>
        not truncated
      </span>
      <span>
        <svg width="10" height="9" aria-hidden="true">
          <path d="M5 .5l4.5 8h-9z" fill="var(--c2)" />
        </svg>
        truncated
      </span>
      <span>
        <svg width="9" height="9" aria-hidden="true">
          <path d="M1.5 1.5l6 6m0-6l-6 6" stroke="var(--bad-mark)" strokeWidth="1.6" />
        </svg>
        no reward
      </span>
    </span>
  );
}
