import { ALERT_OVER, type RunEvent } from "@liverl/contract/run";
import { describe, expect, test } from "vitest";
import { prepareRibbon } from "#overview/prepare-ribbon.ts";

let id = 0;
function event(kind: RunEvent["kind"], step: number | null): RunEvent {
  id += 1;
  return { id, kind, step, at: "2026-11-21T12:00:00Z", actor: "trainer", message: kind };
}

test("close glyphs move apart and stay in the box", () => {
  const events = [
    event("checkpoint", 98),
    event("crash", 99),
    event("resume", 99),
    event("checkpoint", 100),
  ];
  const { glyphs } = prepareRibbon(events, 500, { steps: [1, 100] });
  const places = glyphs.map(({ left }) => left);
  for (const [index, place] of places.entries())
    if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThanOrEqual(10.9);
  expect(Math.max(...places)).toBeLessThanOrEqual(500);
  expect(glyphs.map(({ kind }) => kind)).toEqual(["checkpoint", "crash", "resume", "checkpoint"]);
});

test("weight syncs are ticks, not glyphs, and the legend names only what is there", () => {
  const ribbon = prepareRibbon(
    [event("weight-sync", 5), event("weight-sync", 5), event("alert", 7), event("status", 7)],
    100,
    { steps: [0, 10] },
  );
  expect(ribbon.syncs).toEqual([50]);
  expect(ribbon.kinds).toEqual(["alert"]);
});

test("events stand where their step stands on the axis of the charts", () => {
  // Step 1 trained on 10 tokens, step 2 on 90.
  const tokens = { step: [0, 1, 2], total: [0, 10, 100] };
  const scale = { mode: "tokens", originMs: 0, tokens, clock: null } as const;
  const { glyphs, ticks } = prepareRibbon([event("checkpoint", 1), event("crash", 2)], 100, {
    ...{ steps: [0, 2], scale },
    ticks: { ticks: [50], labels: ["50"] },
  });
  expect(glyphs.map(({ left }) => left)).toEqual([10, 100]);
  expect(ticks).toEqual([{ label: "50", left: 50 }]);
});

test("events outside the zoom are left out; one without a step stands where the run was", () => {
  const { glyphs } = prepareRibbon(
    [event("launch", null), event("checkpoint", 5), event("crash", null), event("checkpoint", 50)],
    100,
    { steps: [0, 10] },
  );
  expect(glyphs.map(({ kind, step }) => [kind, step])).toEqual([
    ["start", 0],
    ["checkpoint", 5],
    ["crash", 5],
  ]);
});

test("a fork taken from a run is no start of it, and later events stand where the run was", () => {
  const { glyphs } = prepareRibbon(
    [event("launch", null), event("checkpoint", 25), event("fork", 15), event("resume", null)],
    300,
    { steps: [0, 30] },
  );
  expect(glyphs.map(({ kind, step }) => [kind, step])).toEqual([
    ["start", 0],
    ["fork", 15],
    ["checkpoint", 25],
    ["resume", 25],
  ]);
});

test("where metrics begin with step 1 the start stands at the edge; in a zoom it does not", () => {
  const starts = (isWhole: boolean) =>
    prepareRibbon([event("launch", null)], 100, { steps: [1, 10], isWhole }).glyphs;
  expect(starts(true)).toMatchObject([{ kind: "start", step: 0, left: 0 }]);
  expect(starts(false)).toEqual([]);
});

test("an alert that is over is told by its shape from one that fires", () => {
  const fired = { ...event("alert", 3), message: "KL is high (kl)" };
  const over = { ...event("alert", 8), message: `${ALERT_OVER}KL is high (kl); the run ended` };
  const { glyphs } = prepareRibbon([fired, over], 500, { steps: [1, 10] });
  expect(glyphs.map(({ kind }) => kind)).toEqual(["alert", "alert-over"]);
});

describe("findings", () => {
  const finding = {
    ...{ sign: "reward-drop", level: "bad" as const, title: "Reward fell 0.51 → 0.18 at step 120" },
    ...{ detail: "", metricKey: null, fromStep: 120, toStep: 124 as number | null },
    ...{ fromAt: "2026-11-25T10:00:00.000Z", toAt: null },
  };
  const axis = { steps: [0, 300] as const };

  test("a finding is a mark at its first step and a span to its last", () => {
    const ribbon = prepareRibbon([], 300, axis, [finding]);
    expect(ribbon.glyphs).toMatchObject([{ kind: "finding", step: 120, left: 120 }]);
    expect(ribbon.spans).toMatchObject([{ left: 120, width: 4, level: "bad" }]);
    expect(ribbon.spans[0]?.words).toContain("recovered by step 124");
    expect(ribbon.kinds).toEqual(["finding"]);
  });

  test("one that lasts goes to the edge, one outside the zoom is left out, one that began before it is cut", () => {
    const lasting = prepareRibbon([], 300, axis, [{ ...finding, toStep: null }]);
    expect(lasting.spans).toMatchObject([{ left: 120, width: 180 }]);
    expect(prepareRibbon([], 300, { steps: [130, 300] }, [finding])).toMatchObject({
      ...{ spans: [], glyphs: [] },
    });
    const cut = prepareRibbon([], 100, { steps: [122, 132] }, [finding]);
    expect(cut).toMatchObject({ spans: [{ left: 0, width: 20 }], glyphs: [] });
  });

  test("a finding of the past does not move events without a step", () => {
    const event = { id: 1, kind: "alert" as const, step: 300, at: "", actor: "", message: "a" };
    const ribbon = prepareRibbon(
      [
        event,
        { ...event, id: 2, kind: "finding", step: 120 },
        { ...event, id: 3, kind: "crash", step: null },
      ],
      300,
      axis,
    );
    expect(ribbon.glyphs.find(({ kind }) => kind === "crash")?.step).toBe(300);
  });
});
