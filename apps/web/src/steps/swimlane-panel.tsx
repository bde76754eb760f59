"use client";
import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { drawSwimlanes, laneAt, laneTop, versionVariable } from "#steps/draw-swimlanes.ts";
import { LANE_SORTS, type LaneSort, type Swimlanes } from "#steps/prepare-swimlanes.ts";
import styles from "#steps/steps.module.css";
import { type Brush, useCanvas } from "#steps/use-canvas.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { Panel } from "#ui/panel.tsx";
import { Seg } from "#ui/seg.tsx";

const HEIGHT = 236;

/** A few lanes that can be told apart, or all of them as a carpet: its lanes may be less than a pixel. */
const HEIGHT_OF = { rows: HEIGHT, all: 420 } as const;

/** Where the time of rollouts went. Generation is coloured by the weights that sampled. */
export function SwimlanePanel({
  swimlanes,
  order,
  density,
  onOrder,
  onDensity,
  hrefOf,
}: {
  swimlanes: Swimlanes;
  order: LaneSort;
  density: keyof typeof HEIGHT_OF;
  onOrder: (order: LaneSort) => void;
  onDensity: (density: keyof typeof HEIGHT_OF) => void;
  hrefOf: (rolloutId: string) => string;
}) {
  const router = useRouter();
  const height = HEIGHT_OF[density];
  const [hot, setHot] = useState<number | null>(null);
  const draw = useCallback(
    (brush: Brush) => drawSwimlanes(brush, swimlanes, hot),
    [swimlanes, hot],
  );
  const canvas = useCanvas(draw);
  const lane = hot === null ? undefined : swimlanes.lanes[hot];
  const under = (event: React.PointerEvent | React.MouseEvent) =>
    laneAt(
      swimlanes.lanes.length,
      height,
      event.clientY - event.currentTarget.getBoundingClientRect().top,
    );
  return (
    <Panel
      title="Swimlanes"
      note={`${swimlanes.lanes.length} of ${swimlanes.total}`}
      right={<Legend versions={swimlanes.versions} />}
    >
      <div className={styles.lanebar}>
        <select
          aria-label="Order of the lanes"
          value={order}
          onChange={({ currentTarget }) =>
            onOrder(LANE_SORTS.find((sort) => sort === currentTarget.value) ?? "slowest")
          }
        >
          {LANE_SORTS.map((sort) => (
            <option key={sort}>{sort}</option>
          ))}
        </select>
        <Seg
          label="Density"
          value={density}
          options={[
            { value: "rows", label: "Rows" },
            { value: "all", label: "All" },
          ]}
          onChange={onDensity}
        />
      </div>
      <div
        className={styles.plot}
        style={{ height }}
        data-hot={lane ? true : undefined}
        data-walks
        role="slider"
        tabIndex={0}
        aria-label={`Time of ${swimlanes.lanes.length} rollouts, ${order} first. Up and down walk them, Enter opens one.`}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={swimlanes.lanes.length}
        aria-valuenow={hot === null ? 0 : hot + 1}
        aria-valuetext={lane ? describeLane(lane) : "none chosen"}
        onPointerMove={(event) => setHot(under(event))}
        onPointerLeave={() => setHot(null)}
        onClick={(event) => {
          const at = under(event);
          const target = at === null ? undefined : swimlanes.lanes[at];
          if (target) router.push(hrefOf(target.rolloutId));
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && lane) router.push(hrefOf(lane.rolloutId));
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          setHot((at) =>
            Math.max(
              0,
              Math.min(
                swimlanes.lanes.length - 1,
                (at ?? -1) + (event.key === "ArrowDown" ? 1 : -1),
              ),
            ),
          );
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {lane && hot !== null && (
          <span
            className={styles.tip}
            style={{
              right: 14,
              top: Math.min(height - 44, laneTop(swimlanes.lanes.length, height, hot) + 14),
            }}
          >
            {describeLane(lane)}
          </span>
        )}
      </div>
    </Panel>
  );
}

/** `repair-0.3 #2 · queue 0.1 s, generate 1.2 s`. */
function describeLane({ label, parts }: Swimlanes["lanes"][number]): string {
  const spans = parts.map(({ part, startS, endS }) => `${part} ${formatDuration(endS - startS)}`);
  return `${label} · ${spans.join(", ")}`;
}

function Legend({ versions }: { versions: readonly number[] }) {
  const shown = versions.slice(-4);
  return (
    <span className={styles.legend}>
      {shown.map((version) => (
        <span key={version}>
          <i className="sw" style={{ background: `var(${versionVariable(version)})` }} />v{version}
        </span>
      ))}
      <span>
        <i className="sw" style={{ background: "var(--ph-queue)" }} />
        queue
      </span>
      <span>
        <svg width="14" height="8" aria-hidden="true">
          <path d="M0 4h14" stroke="var(--ink-4)" strokeWidth="1.5" />
        </svg>
        tool
      </span>
      <span>
        <svg width="14" height="8" aria-hidden="true">
          <path d="M0 4h14" stroke="var(--ink-4)" strokeDasharray="1 3" />
        </svg>
        wait
      </span>
      <span>
        <i className="sw hatch" />
        set-up
      </span>
      <span>
        <i className="sw" style={{ background: "var(--ink-2)" }} />
        verify
      </span>
    </span>
  );
}
