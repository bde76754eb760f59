"use client";
import type { CheckpointRow } from "@liverl/contract/views";
import { useElementSize } from "@mantine/hooks";
import styles from "#checkpoints/checkpoints.module.css";
import { prepareLine } from "#checkpoints/prepare-stats.ts";

const TOP = 40;
const EDGE = 6;

/** The run as a line of steps, a diamond a checkpoint; hollow ones are gone from the disk. */
export function Lineage({
  rows,
  step,
  plannedSteps,
  color,
  status,
}: {
  rows: readonly CheckpointRow[];
  step: number;
  plannedSteps: number | null;
  color: number;
  status: string;
}) {
  const { ref, width } = useElementSize();
  const { end, ticks } = prepareLine(rows, step, plannedSteps);
  const x = (at: number) => EDGE + (at / end) * Math.max(0, width - EDGE * 2);
  const tint = `var(--c${color})`;
  const isLate = x(step) > width - 150;
  return (
    <div className={styles.line}>
      <div ref={ref}>
        <svg
          role="img"
          aria-label={`${rows.length} checkpoints at steps ${rows.map((row) => row.step).join(", ")}`}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={x(tick)} x2={x(tick)} y1={14} y2={66} stroke="var(--grid)" />
              <text
                className="ax"
                x={x(tick)}
                y={82}
                textAnchor={tick === 0 ? "start" : tick === end ? "end" : "middle"}
              >
                {tick}
              </text>
            </g>
          ))}
          <line
            className={styles.lineage}
            x1={x(0)}
            x2={x(step)}
            y1={TOP}
            y2={TOP}
            stroke={tint}
            strokeWidth="2.5"
          />
          {step < end && (
            <line
              x1={x(step)}
              x2={x(end)}
              y1={TOP}
              y2={TOP}
              stroke="var(--line-2)"
              strokeWidth="1.5"
              strokeDasharray="2 4"
            />
          )}
          <circle cx={x(step)} cy={TOP} r={4} fill={tint} />
          <text
            className="ax"
            x={x(step) + (isLate ? -2 : 9)}
            y={isLate ? TOP - 14 : TOP + 4}
            textAnchor={isLate ? "end" : "start"}
            style={{ fill: "var(--ink-2)" }}
          >
            {status}, step {step}
          </text>
          {rows.map((row) => (
            <path
              key={row.step}
              d={`M${x(row.step)} ${TOP - 6}l6 6-6 6-6-6z`}
              fill={row.onDisk ? tint : "var(--surface)"}
              stroke={row.onDisk ? "var(--surface)" : "var(--ink-4)"}
              strokeWidth="1.5"
            >
              <title>{`global_step_${row.step}${row.onDisk ? "" : ", removed"}`}</title>
            </path>
          ))}
        </svg>
      </div>
    </div>
  );
}
