import type { RunEvent } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { filterEvents } from "#run-events/filter-events.ts";

const events: RunEvent[] = (["launch", "weight-sync", "crash", "checkpoint"] as const).map(
  (kind, id) => ({
    id,
    kind,
    step: id,
    at: "2026-11-21T12:00:00Z",
    actor: id === 0 ? "operator" : "trainer",
    message: `${kind} happened`,
  }),
);
const kinds = (list: RunEvent[]) => list.map(({ kind }) => kind);

test("newest first", () =>
  expect(kinds(filterEvents(events, "all", ""))).toEqual([
    "checkpoint",
    "crash",
    "weight-sync",
    "launch",
  ]));
test("groups", () => {
  expect(kinds(filterEvents(events, "quiet", ""))).not.toContain("weight-sync");
  expect(kinds(filterEvents(events, "trouble", ""))).toEqual(["crash"]);
  expect(kinds(filterEvents(events, "people", ""))).toEqual(["launch"]);
});
test("search in message, kind and actor", () =>
  expect(kinds(filterEvents(events, "all", "OPERATOR launch"))).toEqual(["launch"]));
