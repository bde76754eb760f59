"use client";
import type { TaskCells } from "@liverl/contract/task-view";
import { useCallback, useState } from "react";
import { hatching } from "#steps/draw-swimlanes.ts";
import { type Brush, useCanvas } from "#steps/use-canvas.ts";
import styles from "#tasks/tasks.module.css";

/**
 * A task's visits in a row, a cell a step: the darker, the higher the mean reward; hatched where none had one.
 * ← and → walk its visits; ↑ and ↓ leave it, `onLeave` is told at which step.
 */
export function TaskStrip({
  label,
  cells,
  firstStep,
  lastStep,
  enterAt,
  onOpen,
  onLeave,
}: {
  label: string;
  cells: TaskCells;
  firstStep: number;
  lastStep: number;
  /** The step that the keyboard came from, in another row. */
  enterAt: () => number | null;
  onOpen: (groupId: string) => void;
  onLeave: (by: 1 | -1, step: number) => void;
}) {
  const [hot, setHot] = useState<number | null>(null);
  const span = lastStep - firstStep + 1;
  const draw = useCallback(
    (brush: Brush) => drawCells(brush, cells, firstStep, span),
    [cells, firstStep, span],
  );
  const canvas = useCanvas(draw);
  const under = (event: React.PointerEvent | React.MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return cells.step.indexOf(
      firstStep + Math.floor(((event.clientX - box.left) / box.width) * span),
    );
  };
  const groupId = hot === null ? undefined : cells.groupId[hot];
  const last = cells.step.length - 1;
  const walk = (event: React.KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowLeft: (hot ?? 0) - 1, ArrowRight: (hot ?? -1) + 1, Home: 0, End: last }[
      event.key
    ];
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    if (to !== undefined) setHot(Math.max(0, Math.min(last, to)));
    else if (by !== undefined) onLeave(by, cells.step[hot ?? last] ?? lastStep);
    else if (event.key === "Enter" && groupId !== undefined) onOpen(groupId);
    else return;
    event.preventDefault();
  };
  return (
    <span
      className={styles.strip}
      role="slider"
      tabIndex={0}
      aria-label={`Visits of ${label}`}
      aria-valuemin={firstStep}
      aria-valuemax={lastStep}
      aria-valuenow={cells.step[hot ?? last] ?? firstStep}
      aria-valuetext={describeCell(cells, hot ?? last)}
      data-hot={groupId !== undefined || undefined}
      onKeyDown={walk}
      onFocus={() => {
        const step = enterAt();
        if (step !== null) setHot(nearestVisit(cells, step));
      }}
      onBlur={() => setHot(null)}
      onPointerMove={(event) => setHot(under(event))}
      onPointerLeave={() => setHot(null)}
      onClick={() => groupId !== undefined && onOpen(groupId)}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {hot !== null && groupId !== undefined && (
        <span
          className={styles.card}
          style={{ left: `${(((cells.step[hot] ?? 0) - firstStep) / span) * 100}%` }}
        >
          {describeCell(cells, hot)}
        </span>
      )}
    </span>
  );
}

function nearestVisit({ step: steps }: TaskCells, step: number): number {
  const far = steps.map((one) => Math.abs(one - step));
  return far.indexOf(Math.min(...far));
}

/** `Step 12 · 3 of 8 solved · mean 0.38 · 1 flagged`. */
export function describeCell(cells: TaskCells, at: number): string {
  const mean = cells.mean[at] ?? null;
  const broken = (cells.ended[at] ?? 0) - (cells.known[at] ?? 0);
  const flagged = cells.flagged[at] ?? 0;
  return [
    `Step ${cells.step[at]}`,
    `${cells.solved[at]} of ${cells.known[at]} solved`,
    mean === null ? "no reward" : `mean ${mean.toFixed(2)}`,
    ...(broken > 0 ? [`${broken} without reward`] : []),
    ...(flagged > 0 ? [`${flagged} flagged`] : []),
    `${Math.round(cells.sampled[at] ?? 0)} tokens`,
  ].join(" · ");
}

function drawCells(
  { context, width, height, color }: Brush,
  cells: TaskCells,
  firstStep: number,
  span: number,
): void {
  const wide = width / span;
  const hatch = hatching(context, color("--ink-4"));
  for (const [at, step] of cells.step.entries()) {
    const mean = cells.mean[at] ?? null;
    const left = (step - firstStep) * wide;
    const long = Math.max(1, wide - (wide > 4 ? 1 : 0));
    context.globalAlpha = 1;
    context.fillStyle = mean === null ? hatch : color(mean > 0 ? "--c1" : "--pressed");
    if (mean !== null && mean > 0) context.globalAlpha = 0.2 + 0.8 * Math.min(1, mean);
    context.fillRect(left, 1, long, height - 2);
    if ((cells.flagged[at] ?? 0) === 0) continue;
    context.globalAlpha = 1;
    context.fillStyle = color("--bad-mark");
    context.fillRect(left, height - 3, long, 2);
  }
  context.globalAlpha = 1;
}
