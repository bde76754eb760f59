import type { SandboxTrial } from "@liverl/contract/sandbox";
import { expect, it } from "vitest";
import { mostAtOnce, prepareSandboxes, shareOfLimit } from "#sandboxes/prepare-sandboxes.ts";

const trial = (rolloutId: string, more: Partial<SandboxTrial> = {}): SandboxTrial => ({
  rolloutId,
  runId: "run-1",
  taskName: "c-ring",
  attempt: 1,
  agent: "mini",
  sandbox: `liverl-${rolloutId}`,
  runner: null,
  phase: "agent",
  step: null,
  state: "running",
  since: "2026-01-01T10:00:00Z",
  startedAt: "2026-01-01T10:00:00Z",
  deadlineAt: null,
  image: "image:1",
  place: "node-1",
  cpus: 1,
  memoryMb: 2_048,
  shells: 0,
  ...more,
});
const runs = [{ id: "run-1", name: "ring run", project: "p" }];
const shown = { filter: "", state: null, sort: "age", isDescending: false } as const;
const ids = (rows: readonly { rolloutId: string }[]) => rows.map(({ rolloutId }) => rolloutId);

it("finds a trial by every word of its run, task, state and place", () => {
  const trials = [
    trial("a"),
    trial("b", { state: "verifying", place: "node-2" }),
    trial("c", { runId: "run-2", taskName: "lru" }),
  ];
  const find = (filter: string) => ids(prepareSandboxes({ trials, runs }, { ...shown, filter }));
  expect(find("ring run")).toEqual(["a", "b"]);
  expect(find("verifying node-2")).toEqual(["b"]);
  expect(find("LRU")).toEqual(["c"]);
  expect(find("lru node-2")).toEqual([]);
});

it("shows one state, the oldest first, and those without a deadline last", () => {
  const trials = [
    trial("late", { deadlineAt: "2026-01-01T11:00:00Z", since: "2026-01-01T10:02:00Z" }),
    trial("none", { since: "2026-01-01T10:01:00Z" }),
    trial("soon", { deadlineAt: "2026-01-01T10:30:00Z", since: "2026-01-01T10:03:00Z" }),
    trial("made", { state: "creating" }),
  ];
  const state = "running" as const;
  expect(ids(prepareSandboxes({ trials, runs }, { ...shown, state }))).toEqual([
    "none",
    "late",
    "soon",
  ]);
  expect(ids(prepareSandboxes({ trials, runs }, { ...shown, state, sort: "deadline" }))).toEqual([
    "soon",
    "late",
    "none",
  ]);
});

it("measures a state against its own deadline", () => {
  const now = Date.parse("2026-01-01T10:15:00Z");
  const since = "2026-01-01T10:00:00Z";
  expect(shareOfLimit({ since, deadlineAt: "2026-01-01T11:00:00Z" }, now)).toBe(0.25);
  expect(shareOfLimit({ since, deadlineAt: "2026-01-01T10:10:00Z" }, now)).toBe(1);
  expect(shareOfLimit({ since, deadlineAt: null }, now)).toBeNull();
});

it("knows the most that there were at one moment", () => {
  expect(mostAtOnce([null, { running: 2, verifying: 1 }, null, {}])).toBe(3);
  expect(mostAtOnce([null])).toBe(1);
});
