import type { RolloutRow } from "@liverl/contract/views";
import { expect, test } from "vitest";
import { matchRollouts } from "#rollouts/match-rollouts.ts";
import { prepareQuery } from "#rollouts/prepare-query.ts";

test.each([
  [{ mode: "any", outcome: "any", step: null }, {}],
  [
    { mode: "eval", outcome: "solved", step: 0 },
    { mode: "eval", step: 0, minReward: 1 },
  ],
  [
    { mode: "train", outcome: "no-reward", step: null },
    { mode: "train", status: "failed" },
  ],
] as const)("%o asks for %o", (filter, query) => {
  expect(prepareQuery(filter)).toEqual(query);
});

test("every word must be found", () => {
  const row = (taskName: string, error: RolloutRow["error"] = null) =>
    ({
      taskName,
      taskId: "t",
      rolloutId: "r",
      groupId: "g",
      termination: "timeout",
      error,
      integrityKinds: [] as RolloutRow["integrityKinds"],
    }) as RolloutRow;
  const rows = [
    row("repair-1"),
    row("repair-2", {
      exception_type: "AgentTimeoutError",
      exception_message: "",
      occurred_at: "",
    }),
  ];
  expect(matchRollouts(rows, "")).toBe(rows);
  expect(matchRollouts(rows, "REPAIR agenttimeout")).toEqual([rows[1]]);
});
