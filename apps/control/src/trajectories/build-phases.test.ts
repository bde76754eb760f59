import { expect, test } from "vitest";
import { buildPhases } from "#trajectories/build-phases.ts";

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const record = (...phases: [string, number][]) =>
  phases.map(([phase, at]) => JSON.stringify({ phase, at: time(at).toISOString() })).join("\n");
const states = (phases: ReturnType<typeof buildPhases>) =>
  phases.map(({ phase, state }) => `${phase} ${state}`).join(", ");
const row = (status: string, ended: number | null) => ({
  ...{ status, queuedAt: time(0), startedAt: time(1) },
  endedAt: ended === null ? null : time(ended),
});

test("a trial that goes on is in its newest phase", () => {
  const phases = buildPhases(row("running", null), record(["environment", 1], ["agent", 4]));
  expect(states(phases)).toBe(
    "queue done, environment done, agent now, verifier waiting, end waiting",
  );
  expect(phases[1]).toMatchObject({
    startedAt: time(1).toISOString(),
    endedAt: time(4).toISOString(),
  });
});

test("a trial that failed did so where it stood before its sandbox was removed", () => {
  const text = record(["environment", 1], ["agent", 4], ["end", 6]);
  expect(states(buildPhases(row("failed", 5), text))).toBe(
    "queue done, environment done, agent failed, verifier waiting, end done",
  );
});

test("a line that was cut off is none, and without any there are no phases", () => {
  expect(states(buildPhases(row("running", null), `${record(["environment", 1])}\n{"phase"`))).toBe(
    "queue done, environment now, agent waiting, verifier waiting, end waiting",
  );
  expect(buildPhases(row("running", null), null)).toEqual([]);
});
