import type { RecordedAdvantage, RolloutRow } from "@liverl/contract/views";
import styles from "#groups/groups.module.css";
import { type CompareCell, prepareColumns } from "#groups/prepare-columns.ts";
import { runPageCode } from "#trajectories/run-page-code.ts";
import { TrajectoryLink } from "#trajectories/trajectory-link.tsx";
import { Meter } from "#ui/meter.tsx";
import { StatusDot } from "#ui/status-dot.tsx";

const TONES = { quiet: "i3", warn: "warn-t", bad: "bad-t" } as const;

/** The narrowest column that holds its number, A, B, the mark and the longest word of how a rollout ended. */
const COLUMN_PX = 100;
const LABEL_PX = 128;

/** Siblings in columns. A and B pick the two that are set against each other below. */
export function CompareTable({
  rollouts,
  patchLines,
  advantages,
  a,
  b,
  hrefOf,
  onPick,
}: {
  rollouts: readonly RolloutRow[];
  patchLines: Readonly<Record<string, number>>;
  advantages: Readonly<Record<string, RecordedAdvantage>>;
  a: string | null;
  b: string | null;
  hrefOf: (rolloutId: string) => string;
  onPick: (side: "a" | "b", index: number) => void;
}) {
  const sideOf = (row: RolloutRow) =>
    row.rolloutId === a ? "a" : row.rolloutId === b ? "b" : undefined;
  return (
    <div className={`${styles.scroll} scroll`}>
      <table
        className={styles.compare}
        style={{ minWidth: LABEL_PX + COLUMN_PX * rollouts.length }}
      >
        <thead>
          <tr>
            <th aria-label="Fact" />
            {rollouts.map((row) => (
              <th key={row.rolloutId} scope="col" data-side={sideOf(row)}>
                <span className={styles.column}>
                  <TrajectoryLink
                    onRest={runPageCode}
                    rolloutId={row.rolloutId}
                    href={hrefOf(row.rolloutId)}
                    title={`Open rollout ${row.index + 1}`}
                  >
                    <span className={styles.word}>Rollout </span>
                    {row.index + 1}
                  </TrajectoryLink>
                  {(["a", "b"] as const).map((side) => (
                    <button
                      key={side}
                      type="button"
                      className={styles.pick}
                      data-side={side}
                      aria-pressed={sideOf(row) === side}
                      aria-label={`Rollout ${row.index + 1} as ${side.toUpperCase()}`}
                      onClick={() => onPick(side, row.index)}
                    >
                      {side.toUpperCase()}
                    </button>
                  ))}
                  <StatusDot kind={row.reward === null ? "off" : row.reward >= 1 ? "ok" : "bad"} />
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {prepareColumns(rollouts, patchLines, advantages).map((line) => (
            <tr key={line.label} data-last={line.isLast || undefined}>
              <th scope="row">{line.label}</th>
              {line.cells.map((cell, at) => {
                const row = rollouts[at];
                return (
                  <td key={row?.rolloutId} data-side={row && sideOf(row)}>
                    <Cell cell={cell} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell }: { cell: CompareCell }) {
  const className = [cell.tone && TONES[cell.tone], cell.strong && "semi", cell.mono && "m"]
    .filter(Boolean)
    .join(" ");
  if (cell.share === undefined) return <span className={className}>{cell.text}</span>;
  return (
    <span className={styles.number}>
      <Meter share={cell.share} width={30} />
      {cell.text}
    </span>
  );
}
