import { expect, test } from "vitest";
import { buildPhases, readPhases } from "#trajectories/build-phases.ts";

const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const record = (...phases: [string, number][]) =>
  phases.map(([phase, at]) => JSON.stringify({ phase, at: time(at).toISOString() })).join("\n");
const phasesOf = (row: Parameters<typeof buildPhases>[0], text: string | null) =>
  buildPhases(row, readPhases(text));
const states = (phases: ReturnType<typeof buildPhases>) =>
  phases.map(({ phase, state }) => `${phase} ${state}`).join(", ");
const row = (status: string, ended: number | null) => ({
  ...{ status, queuedAt: time(0), startedAt: time(1) },
  endedAt: ended === null ? null : time(ended),
});

test("a trial that goes on is in its newest phase", () => {
  const phases = phasesOf(row("running", null), record(["environment", 1], ["agent", 4]));
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
  expect(states(phasesOf(row("failed", 5), text))).toBe(
    "queue done, environment done, agent failed, verifier skipped, end done",
  );
});

test("a line that was cut off is none, and without any there are no phases", () => {
  expect(states(phasesOf(row("running", null), `${record(["environment", 1])}\n{"phase"`))).toBe(
    "queue done, environment now, agent waiting, verifier waiting, end waiting",
  );
  expect(phasesOf(row("running", null), null)).toEqual([]);
});

test("each step of a task has its own, also those that did not come to be", () => {
  const at = (second: number) => time(second).toISOString();
  const steps = ["plan", "write", "report"];
  const lines = [
    { phase: "environment", at: at(1), steps },
    { phase: "agent", at: at(2), step: "plan" },
    { phase: "verifier", at: at(3), step: "plan" },
    { phase: "agent", at: at(5), step: "write" },
    // A sandbox of its own, then the tests.
    { phase: "verifier", at: at(6), step: "write" },
    { phase: "verifier", at: at(7), step: "write" },
  ];
  const words = (phases: ReturnType<typeof buildPhases>) =>
    phases.filter(({ step }) => step).map(({ phase, step, state }) => `${step} ${phase} ${state}`);
  const text = (all: object[]) => all.map((line) => JSON.stringify(line)).join("\n");
  expect(words(phasesOf(row("running", null), text(lines)))).toEqual([
    ...["plan agent done", "plan verifier done", "write agent done", "write verifier now"],
    ...["report agent waiting", "report verifier waiting"],
  ]);
  const over = phasesOf(row("succeeded", 9), text([...lines, { phase: "end", at: at(8) }]));
  expect(words(over).slice(3)).toEqual([
    "write verifier done",
    "report agent skipped",
    "report verifier skipped",
  ]);
  expect(over.find(({ step, phase }) => step === "write" && phase === "verifier")).toMatchObject({
    startedAt: at(6),
    endedAt: at(8),
  });
});
