import { STAGE_WORDS } from "@liverl/contract/live-rollout";
import { describeTraining } from "@liverl/contract/rollout-training";
import type { RecordedAdvantage, RolloutRow } from "@liverl/contract/views";
import {
  endedAs,
  formatAdvantage,
  formatVersions,
  wallSeconds,
} from "#trajectories/prepare-facts.ts";
import { formatAge, formatDuration } from "#ui/format-duration.ts";
import { formatCount } from "#ui/format-number.ts";

export interface CompareCell {
  text: string;
  tone?: "quiet" | "warn" | "bad";
  strong?: boolean;
  mono?: boolean;
  /** 0…1, drawn as a bar before the number. */
  share?: number;
}
export interface CompareRow {
  label: string;
  cells: CompareCell[];
  /** Ends a block of rows. */
  isLast?: boolean;
}

/** The rollouts of a group side by side: a row a fact, a cell a rollout. A fact that nobody knows is left out. */
export function prepareColumns(
  rollouts: readonly RolloutRow[],
  patchLines: Readonly<Record<string, number>> = {},
  advantages: Readonly<Record<string, RecordedAdvantage>> = {},
): CompareRow[] {
  const most = (read: (row: RolloutRow) => number) => Math.max(1, ...rollouts.map(read));
  const [sampled, total] = [
    most((row) => row.tokensSampled ?? 0),
    most((row) => row.tokensTotal ?? 0),
  ];
  const seconds =
    (read: (timings: NonNullable<RolloutRow["timings"]>) => number) => (row: RolloutRow) =>
      quietly(row.timings === null ? "—" : formatDuration(read(row.timings)));
  const rows: [string, (row: RolloutRow) => CompareCell, boolean?][] = [
    [
      "Reward",
      (row) =>
        row.reward === null
          ? { text: isDone(row) ? "none" : "—", tone: "quiet" }
          : { text: row.reward.toFixed(2), strong: true },
    ],
    ["Advantage", (row) => quietly(advantageWords(row, advantages[row.rolloutId]))],
    ["Training", trainingCell],
    ["Ended", endedCell, true],
    ...(rollouts.some(({ live }) => live !== null) ? [nowRow()] : []),
    ["Turns", ({ turns }) => countCell(turns)],
    ["Tokens sampled", ({ tokensSampled }) => countCell(tokensSampled, sampled)],
    ["Tokens total", ({ tokensTotal }) => countCell(tokensTotal, total)],
    ["Patch lines", ({ rolloutId }) => quietly(formatLines(patchLines[rolloutId]))],
    ["Weights", (row) => ({ ...quietly(formatVersions(row.versionSpan)), mono: true }), true],
    ["Wall", (row) => quietly(formatDuration(wallSeconds(row)))],
    ["Generate", seconds((timings) => timings.generateS)],
    ["Tools", seconds((timings) => timings.toolS)],
    ["Verify", seconds((timings) => timings.verifyS), true],
  ];
  return rows
    .map(([label, read, isLast]) => ({ label, cells: rollouts.map(read), isLast }))
    .filter((row) => row.cells.some((cell) => cell.text !== "—"));
}

/** As the trainer recorded it of the trained tokens: a critic gives each its own. */
function advantageWords(row: RolloutRow, recorded: RecordedAdvantage | undefined): string {
  if (!recorded) return formatAdvantage(row.advantage);
  const { min, mean, max } = recorded;
  const [low, high] = [formatAdvantage(min), formatAdvantage(max)];
  return low === high ? formatAdvantage(mean) : `${low} to ${high}`;
}

function trainingCell({ training }: RolloutRow): CompareCell {
  const text = describeTraining(training) ?? "—";
  return { text, tone: training.state === "trained" ? undefined : "quiet" };
}

function endedCell(row: RolloutRow): CompareCell {
  if (row.error) return { text: row.error.exception_type, tone: "bad" };
  if (row.truncated) return { text: "truncated", tone: "warn" };
  return {
    text: endedAs(row),
    tone: row.termination === "agent-finished" ? undefined : isDone(row) ? "warn" : "quiet",
  };
}

const isDone = (row: RolloutRow) => row.status !== "queued" && row.status !== "running";
const quietly = (text: string): CompareCell => (text === "—" ? { text, tone: "quiet" } : { text });
const formatLines = (count: number | undefined): string =>
  count === undefined ? "—" : formatCount(count);

/** What those do that have not ended, and since when they gave no sign of life. */
function nowRow(): [string, (row: RolloutRow) => CompareCell] {
  return [
    "Now",
    ({ live }) => {
      if (live === null) return quietly("—");
      const idleS =
        live.lastSignAt === null ? null : (Date.now() - Date.parse(live.lastSignAt)) / 1_000;
      const words = `${STAGE_WORDS[live.stage]} · idle ${formatAge(idleS)}`;
      return live.isStuck ? { text: `${words}, stuck`, tone: "warn" } : { text: words };
    },
  ];
}

/** With `most`, its share of the largest; a count that is not known is a gap. */
function countCell(count: number | null, most?: number): CompareCell {
  if (count === null) return quietly("—");
  return { text: formatCount(count), ...(most !== undefined && { share: count / most }) };
}
