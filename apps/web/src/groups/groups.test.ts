import type { RolloutRow } from "@liverl/contract/views";
import { expect, test } from "vitest";
import { prepareColumns } from "#groups/prepare-columns.ts";
import { prepareMarks } from "#groups/prepare-marks.ts";
import { preparePair } from "#groups/prepare-pair.ts";
import { parsePatch } from "#trajectories/parse-patch.ts";

const row = (index: number, reward: number | null): RolloutRow => ({
  rolloutId: `r${index}`,
  sessionId: "s",
  groupId: "g",
  index,
  taskId: "t",
  taskName: "t",
  step: 1,
  askedStep: 1,
  mode: "train",
  status: reward === null ? "failed" : "succeeded",
  reward,
  advantage: null,
  live: null,
  training: { state: "trained", step: 1, reason: null },
  termination: "agent-finished",
  error: null,
  turns: 2,
  tokensSampled: 10 * (index + 1),
  tokensTotal: 100,
  truncated: false,
  keptSegments: 0,
  integrityKinds: [],
  tags: [],
  note: null,
  versionSpan: [1, 1],
  timings: null,
  startedAt: null,
  endedAt: null,
});

test("a failed rollout stands against a solved one unless others are asked for", () => {
  const rows = [row(0, 1), row(1, null), row(2, 0), row(3, 1)];
  const pair = (a: number | null, b: number | null) => {
    const found = preparePair(rows, a, b);
    return [found.a?.index, found.b?.index];
  };
  expect(pair(null, null)).toEqual([2, 0]);
  expect(pair(3, null)).toEqual([3, 0]);
  expect(pair(null, 2)).toEqual([0, 2]);
  expect(pair(1, 2)).toEqual([1, 2]);
  expect(preparePair([row(0, 1)], null, null)).toEqual({ a: row(0, 1), b: null });
});

test("how much each changed is told where its patch was kept", () => {
  const two = [row(0, 1), row(1, 0)];
  const lines = prepareColumns(two, { [two[1]?.rolloutId ?? ""]: 1_234 }).find(
    ({ label }) => label === "Patch lines",
  );
  expect(lines?.cells.map(({ text }) => text)).toEqual(["—", "1,234"]);
  expect(prepareColumns(two).map(({ label }) => label)).not.toContain("Patch lines");
});

test("what became of each in training is told, with the advantages that were recorded", () => {
  const filtered = { state: "filtered" as const, step: null, reason: "max_turns" };
  const two = [row(0, 1), { ...row(1, 0), advantage: null, training: filtered }];
  const cells = (label: string, advantages = {}) =>
    prepareColumns(two, {}, advantages)
      .find((one) => one.label === label)
      ?.cells.map(({ text }) => text);
  expect(cells("Training")).toEqual(["trained in step 1", "filtered out: max_turns"]);
  expect(cells("Advantage")).toBeUndefined();
  expect(cells("Advantage", { r0: { min: 0.09, mean: 0.5, max: 0.91 } })).toEqual([
    ...["+0.09 to +0.91", "—"],
  ]);
  expect(cells("Advantage", { r0: { min: 0.7, mean: 0.7, max: 0.7 } })).toEqual(["+0.70", "—"]);
});

test("columns leave out what nobody knows", () => {
  const rows = prepareColumns([row(0, 1), row(1, null)]);
  expect(rows.map((line) => line.label)).toEqual([
    "Reward",
    "Training",
    "Ended",
    "Turns",
    "Tokens sampled",
    "Tokens total",
    "Weights",
  ]);
  expect(rows[0]?.cells.map((cell) => cell.text)).toEqual(["1.00", "none"]);
  expect(rows[4]?.cells.map((cell) => cell.share)).toEqual([0.5, 1]);
});

test("only the words that differ are marked", () => {
  const patch = (body: string) => parsePatch(`--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${body}\n`);
  const { left, right } = prepareMarks(patch("return a + b"), patch("return a - b"));
  expect([...left.values()]).toEqual([
    [
      { text: "return a ", isChanged: false },
      { text: "+", isChanged: true },
      { text: " b", isChanged: false },
    ],
  ]);
  expect([...right.values()][0]?.filter((piece) => piece.isChanged)).toEqual([
    { text: "-", isChanged: true },
  ]);
  expect(prepareMarks(patch("same"), patch("same")).left.size).toBe(0);
});
