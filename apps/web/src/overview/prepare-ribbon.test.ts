import { ALERT_OVER, type RunEvent } from "@liverl/contract/run";
import { expect, test } from "vitest";
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
  const { glyphs } = prepareRibbon(events, [1, 100], 500, []);
  const places = glyphs.map(({ left }) => left);
  for (const [index, place] of places.entries())
    if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThanOrEqual(10.9);
  expect(Math.max(...places)).toBeLessThanOrEqual(500);
  expect(glyphs.map(({ kind }) => kind)).toEqual(["checkpoint", "crash", "resume", "checkpoint"]);
});

test("weight syncs are ticks, not glyphs, and the legend names only what is there", () => {
  const ribbon = prepareRibbon(
    [event("weight-sync", 5), event("weight-sync", 5), event("alert", 7), event("status", 7)],
    [0, 10],
    100,
    [0, 10],
  );
  expect(ribbon.syncs).toEqual([50]);
  expect(ribbon.kinds).toEqual(["alert"]);
});

test("events outside the zoom are left out; one without a step stands where the run was", () => {
  const { glyphs } = prepareRibbon(
    [event("launch", null), event("checkpoint", 5), event("crash", null), event("checkpoint", 50)],
    [0, 10],
    100,
    [],
  );
  expect(glyphs.map(({ kind, step }) => [kind, step])).toEqual([
    ["start", 0],
    ["checkpoint", 5],
    ["crash", 5],
  ]);
});

test("an alert that is over is told by its shape from one that fires", () => {
  const fired = { ...event("alert", 3), message: "KL is high (kl)" };
  const over = { ...event("alert", 8), message: `${ALERT_OVER}KL is high (kl); the run ended` };
  const { glyphs } = prepareRibbon([fired, over], [1, 10], 500, []);
  expect(glyphs.map(({ kind }) => kind)).toEqual(["alert", "alert-over"]);
});
