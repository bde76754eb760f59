import type { IntegrityFlag } from "@liverl/contract/rollout";
import { expect, test } from "vitest";
import { isFilteredOut } from "#trainer/trajectory-filter.ts";

const flag: IntegrityFlag = { kind: "tests-edited", evidence: ["a.test.js"] };

test.each([
  [true, ["max_turns"], "max-turns", [], true],
  [true, ["max-turns"], "max-turns", [], true],
  [false, ["max_turns"], "max-turns", [], false],
  [true, ["timeout"], "max-turns", [], false],
  [true, ["integrity"], "agent-finished", [flag], true],
  [true, ["integrity"], "agent-finished", [], false],
  [true, ["integrity_tests_edited"], "agent-finished", [flag], true],
  [true, ["integrity_network_used"], "agent-finished", [flag], false],
] as const)(
  "filter on: %s, %s; ended by %s: left out %s",
  (enable, drop_reasons, termination, flags, isOut) => {
    const filter = { enable, drop_reasons: [...drop_reasons] };
    expect(isFilteredOut({ termination, flags: [...flags] }, filter)).toBe(isOut);
  },
);
