import { expect, it } from "vitest";
import { secondsOf, terminationOf } from "#trials/step-sums.ts";

it.each([
  [["agent-finished", "agent-finished"], "agent-finished"],
  [["agent-finished", "timeout", "agent-finished"], "timeout"],
  [["max-turns", "timeout"], "max-turns"],
  [["timeout", "cancelled"], "cancelled"],
  [[], "infra-error"],
] as const)("steps that ended %j make a trial that ended %s", (steps, ended) => {
  expect(terminationOf(steps.map((termination) => ({ termination })))).toBe(ended);
});

it("adds what agents and verifiers took, without what lies between steps", () => {
  const at = (second: number) => new Date(second * 1_000);
  const first = { agentStartedAt: at(5), agentEndedAt: at(7), verifierEndedAt: at(10) };
  expect(
    secondsOf([
      first,
      { agentStartedAt: at(20), agentEndedAt: at(21) },
      { agentStartedAt: at(30) },
    ]),
  ).toEqual({ agentS: 3, verifyS: 3 });
});
