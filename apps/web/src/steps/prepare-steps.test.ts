import type { GroupRow, Headline, RolloutRow, StepView } from "@liverl/contract/views";
import { describe, expect, test } from "vitest";
import { nearestStep, stepOfPart } from "#steps/neighbour-steps.ts";
import { prepareAskedOnly } from "#steps/prepare-asked-only.ts";
import { countGroups, prepareGroups } from "#steps/prepare-groups.ts";
import { prepareHeadline } from "#steps/prepare-headline.ts";
import { prepareNotice } from "#steps/prepare-notice.ts";
import { nearestPoint, prepareScatter } from "#steps/prepare-scatter.ts";
import { prepareSwimlanes } from "#steps/prepare-swimlanes.ts";

const row = (index: number, change: Partial<RolloutRow> = {}): RolloutRow => ({
  rolloutId: `r${index}`,
  sessionId: `s${index}`,
  groupId: "g",
  index,
  taskId: "t",
  taskName: "repair-7",
  step: 1,
  askedStep: 1,
  mode: "train",
  live: null,
  status: "succeeded",
  reward: 1,
  advantage: 0,
  training: { state: "trained", step: 1, reason: null },
  termination: "agent-finished",
  error: null,
  turns: 3,
  tokensSampled: 60,
  tokensTotal: 400,
  truncated: false,
  keptSegments: 0,
  integrityKinds: [],
  tags: [],
  note: null,
  versionSpan: [1, 1],
  timings: null,
  startedAt: null,
  endedAt: null,
  ...change,
});
const group = (
  groupId: string,
  rewards: (number | null)[],
  change: Partial<GroupRow> = {},
): GroupRow => {
  const known = rewards.filter((reward) => reward !== null);
  const mean = known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
  return {
    groupId,
    taskId: groupId,
    taskName: groupId,
    mean,
    std: mean === null ? null : Math.max(...known) - Math.min(...known),
    solved: mean === null ? "unknown" : mean === 1 ? "all" : known.includes(1) ? "part" : "none",
    isFlat: known.length > 0 && known.every((reward) => reward === known[0]),
    rollouts: rewards.map((reward, index) =>
      row(index, { rolloutId: `${groupId}-${index}`, reward }),
    ),
    ...change,
  };
};

describe("prepareScatter", () => {
  test("a rollout without reward is in a lane of its own", () => {
    const { points, counts } = prepareScatter(
      [
        row(0),
        row(1, { reward: 0 }),
        row(2, { reward: null, status: "failed" }),
        row(3, { status: "running", reward: null }),
      ],
      null,
    );
    expect(counts).toEqual({ solved: 1, failed: 1, "no reward": 1 });
    expect(points.map((point) => point.mark)).toEqual(["finished", "finished", "no reward"]);
  });
  test("points lie within the plot, a wide range is logarithmic, and order is kept", () => {
    const lengths = [3, 40, 900, 40_000];
    const { points, log, ticks } = prepareScatter(
      lengths.map((tokensSampled, at) => row(at, { tokensSampled })),
      40_960,
    );
    expect(log).toBe(true);
    const xs = points.map((point) => point.x);
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
    for (const x of [...xs, ...ticks.map((tick) => tick.x)]) expect(x).toBeGreaterThanOrEqual(0);
    for (const x of [...xs, ...ticks.map((tick) => tick.x)]) expect(x).toBeLessThanOrEqual(1);
  });
  test("a narrow range is linear, and one length alone still has an axis", () => {
    expect(prepareScatter([row(0), row(1, { tokensSampled: 90 })], null).log).toBe(false);
    const lone = prepareScatter([row(0)], null);
    expect(lone.points[0]!.x).toBeGreaterThan(0);
    expect(lone.points[0]!.x).toBeLessThan(1);
    expect(lone.ticks.length).toBeGreaterThan(0);
    expect(prepareScatter([], null).points).toEqual([]);
  });
  test("a point keeps its place when others come", () => {
    const one = prepareScatter([row(5)], 100).points[0]!;
    const two = prepareScatter([row(4), row(5)], 100).points[1]!;
    expect(two.y).toBe(one.y);
  });
  test("the nearest point within reach is found", () => {
    const points = [
      { px: 0, py: 0 },
      { px: 10, py: 0 },
    ];
    expect(nearestPoint(points, 7, 0, 5)).toBe(points[1]);
    expect(nearestPoint(points, 5, 9, 5)).toBeNull();
  });
});

test("swimlanes share one clock, the slowest first", () => {
  const timings = { queueS: 1, setupS: 0.5, agentS: 4, generateS: 3, toolS: 1, verifyS: 0.5 };
  const { lanes, total, spanS, versions, ticksS } = prepareSwimlanes(
    [
      row(0, { startedAt: "2026-01-01T00:00:01.000Z", timings, versionSpan: [3, 4] }),
      row(1, {
        startedAt: "2026-01-01T00:00:03.000Z",
        timings: { ...timings, agentS: 6 },
        versionSpan: [4, 5],
      }),
      row(2),
    ],
    1,
  );
  expect(total).toBe(2);
  expect(lanes.map((lane) => lane.rolloutId)).toEqual(["r1"]);
  expect(lanes[0]!.parts).toEqual([
    { part: "queue", startS: 2, endS: 3 },
    { part: "env", startS: 3, endS: 3.5 },
    { part: "generate", startS: 3.5, endS: 6.5 },
    { part: "tool", startS: 6.5, endS: 7.5 },
    { part: "wait", startS: 7.5, endS: 9.5 },
    { part: "verify", startS: 9.5, endS: 10 },
  ]);
  expect(spanS).toBe(10);
  expect(versions).toEqual([4, 5]);
  expect(ticksS).toEqual([0, 2, 4, 6, 8, 10]);
  expect(prepareSwimlanes([], 10)).toMatchObject({ lanes: [], total: 0, spanS: 0, ticksS: [] });
});

test.each([
  ["slowest", ["r1", "r0", "r2"]],
  ["submitted", ["r1", "r0", "r2"]],
  ["reward", ["r0", "r1", "r2"]],
  ["turns", ["r0", "r2", "r1"]],
  ["oldest weights", ["r1", "r2", "r0"]],
] as const)("lanes by %s", (sort, wanted) => {
  const timings = { queueS: 1, setupS: 0, agentS: 4, generateS: 4, toolS: 0, verifyS: 0 };
  const at = (second: number) => ({ startedAt: `2026-01-01T00:00:0${second}.000Z`, timings });
  const rows = [
    row(0, { ...at(2), reward: null, turns: 9, versionSpan: null }),
    row(1, { ...at(1), timings: { ...timings, agentS: 6 }, reward: 0, versionSpan: [1, 3] }),
    row(2, { ...at(4), turns: 5, versionSpan: [2, 2] }),
  ];
  expect(prepareSwimlanes(rows, 9, sort).lanes.map((lane) => lane.rolloutId)).toEqual(wanted);
});

test("informative groups come first, then all solved, then none, then unknown", () => {
  const tiles = prepareGroups(
    [
      group("none", [0, 0]),
      group("half", [1, 0]),
      group("nil", [null, null]),
      group("all", [1, 1]),
      group("most", [1, 1, 1, 0]),
    ],
    "informative",
  );
  expect(tiles.map((tile) => tile.groupId)).toEqual(["half", "most", "all", "none", "nil"]);
  expect(tiles[4]!.cells.map((cell) => cell.cell)).toEqual(["no reward", "no reward"]);
  expect(countGroups(tiles)).toEqual({ flat: 2, all: 1, none: 1 });
});

test("a group whose rewards differ has a gradient, though none is solved", () => {
  const tiles = prepareGroups([group("partial", [0.1, 0.9]), group("same", [0.5, 0.5])], "task");
  expect(tiles.map(({ flat }) => flat)).toEqual([false, true]);
  expect(tiles[0]!.cells.map(({ cell }) => cell)).toEqual(["part", "part"]);
  expect(countGroups(tiles)).toEqual({ flat: 1, all: 0, none: 1 });
});

const headline = (change: Partial<Headline>): Headline => ({
  id: "x",
  label: "X",
  value: null,
  of: null,
  unit: "number",
  previous: null,
  history: [],
  hint: null,
  ...change,
});
test.each([
  [
    { value: 375, of: 512, unit: "count", previous: 504 },
    { value: "375", of: "/ 512", change: "−129 against 119" },
  ],
  [
    { value: 0.0314, unit: "ratio", previous: 0.0294 },
    { value: "3.1 %", of: "", change: "+0.2 pt against 119" },
  ],
  [
    { value: 0.5, unit: "ratio" },
    { value: "50 %", of: "", change: "" },
  ],
  [
    { value: 0.34, previous: 0.48 },
    { value: "0.340", of: "", change: "−0.140 against 119" },
  ],
  [
    { value: 12345, unit: "tokens" },
    { value: "12.3k", of: "", change: "" },
  ],
  [{ value: 0.00064 }, { value: "6.4e−4", of: "", change: "" }],
  [{}, { value: "—", of: "", change: "" }],
] as const)("headline %o", (change, texts) => {
  expect(prepareHeadline(headline(change), 119)).toEqual(texts);
});

test("the notice names what is missing and why", () => {
  const view: StepView = {
    step: 1,
    firstStep: 0,
    lastStep: 1,
    mode: "train",
    startedAt: null,
    endedAt: null,
    versionSpan: null,
    headlines: [],
    metrics: [],
    untrained: null,
    groups: [group("a", [1, 0])],
    contradicted: [],
    pending: 0,
    askedOnly: { elsewhere: 0, nowhere: 0 },
    lengthCap: null,
  };
  expect(prepareNotice(view)).toBeNull();
  expect(prepareNotice({ ...view, pending: 1 })?.text).toMatch(/1 of 2 rollouts are still running/);
  const failed = group("b", [1, null, null]);
  failed.rollouts[1]!.error = {
    exception_type: "VerifierTimeoutError",
    exception_message: "",
    occurred_at: "",
  };
  failed.rollouts[2]!.error = {
    exception_type: "VerifierTimeoutError",
    exception_message: "",
    occurred_at: "",
  };
  failed.rollouts[2]!.endedAt = "2026-01-01T00:00:00Z";
  expect(prepareNotice({ ...view, groups: [failed] })).toEqual({
    level: "warn",
    text: "2 of 3 rollouts have no reward (VerifierTimeoutError). Means leave them out.",
    at: "2026-01-01T00:00:00Z",
    rolloutId: null,
  });
  expect(prepareNotice({ ...view, contradicted: ["r1"] })).toEqual({
    level: "warn",
    text: "1 of 2 answers earned another reward before, word for word. The tests have changed.",
    at: null,
    rolloutId: "r1",
  });
});

test("the other mode opens at the nearest step that it has", () => {
  expect(nearestStep([0, 5, 10], 5)).toBe(5);
  expect(nearestStep([10, 0, 5], 9)).toBe(5);
  expect(nearestStep([5, 10], 3)).toBe(5);
  expect(nearestStep([], 3)).toBeNull();
});

test.each([
  ["latest", 6],
  ["3", 3],
  ["999999", 999_999],
  ["zzz", null],
  ["-1", null],
  ["2147483648", null],
  ["1.5", null],
])("the address's part %s names the step %s", (part, step) => {
  expect(stepOfPart(part, [4, 6, 5])).toBe(step);
  expect(stepOfPart("latest", [])).toBeNull();
});

test("what a step asked for and did not train is told apart, with filters that list it", () => {
  const view = { step: 5, mode: "train" as const };
  expect(prepareAskedOnly({ ...view, askedOnly: { elsewhere: 0, nowhere: 0 } })).toEqual([]);
  expect(prepareAskedOnly({ ...view, askedOnly: { elsewhere: 8, nowhere: 4 } })).toEqual([
    {
      text: "8 trained in another step",
      filter: "mode = train and asked = 5 and step != none and step != 5",
    },
    { text: "4 that no update took", filter: "mode = train and asked = 5 and step = none" },
  ]);
});
