import { AlertCondition } from "@liverl/contract/alert";
import type { Judgement } from "@liverl/contract/run";
import { describe, expect, test } from "vitest";
import { type AlertFacts, evaluateCondition } from "#alerts/evaluate-condition.ts";

const VERDICT: Judgement = {
  word: "Degraded",
  sentence: "Entropy has collapsed; reward 0.4.",
  ...{ progress: "ok", stability: "warn", performance: "ok", failures: "ok" },
  advisories: [
    {
      ...{ id: "entropy-collapse", level: "warn", tier: "alarm", title: "Entropy has collapsed" },
      ...{
        detail: "It fell.",
        sinceStep: 7,
        untilStep: null,
        metricKey: "actor/entropy",
        links: [],
      },
    },
  ],
  steps: [1, 12],
  start: [],
};

function evaluate(
  condition: unknown,
  values: readonly number[] = [],
  change: Partial<AlertFacts> = {},
) {
  return evaluateCondition(AlertCondition.parse(condition), {
    ...{ status: "running", statusReason: null, verdict: VERDICT, step: 12 },
    samplesOf: () => values.map((value, i) => ({ step: i + 1, value, wallMs: i })),
    ...change,
  });
}
const wobble = (count: number) => Array.from({ length: count }, (_, i) => 1 + (i % 3) * 0.1);

describe("evaluateCondition", () => {
  const above = { kind: "threshold", metric: "m", side: "above", value: 0.5 };
  const change = { kind: "change", metric: "m", percent: 20, steps: 2 };
  const z = { kind: "z-score", metric: "m", z: 6 };

  test.each<[unknown, number[], number]>([
    [above, [0.1, 0.6], 2],
    [{ ...above, steps: 3 }, [0.1, 0.6, 0.7, 0.6], 2],
    [{ ...above, side: "below" }, [0.6, 0.4], 2],
    [{ ...change, direction: "falls" }, [1, 1, 0.7, 0.7], 3],
    [{ ...change, direction: "rises" }, [-1, -1, -0.7, -0.7], 3],
    [{ ...change, direction: "moves" }, [1, 1, 0.7, 0.7], 3],
    [z, [...wobble(12), 9], 13],
    [z, [...wobble(12), -9], 13],
  ])("%j fires on %j at step %d", (condition, values, step) => {
    expect(evaluate(condition, values)).toMatchObject({ metricKey: "m", step });
  });

  test.each<[unknown, number[]]>([
    [above, []],
    [above, [0.6, 0.5]],
    [{ ...above, steps: 3 }, [0.6, 0.7]],
    [{ ...above, steps: 3 }, [0.6, 0.4, 0.7]],
    [{ ...change, direction: "falls" }, [0.7, 0.7, 1, 1]],
    [{ ...change, direction: "rises" }, [1, 1, 0.7, 0.7]],
    [{ ...change, direction: "moves" }, [1, 1, 0.9, 0.9]],
    [{ ...change, direction: "moves" }, [1, 0.7, 0.7]],
    [{ ...change, direction: "moves" }, [0, 0, 5, 5]],
    [z, [...wobble(12), 1.3]],
    [z, [1, 1.1, 9]],
  ])("%j does not fire on %j", (condition, values) => {
    expect(evaluate(condition, values)).toBeNull();
  });

  test("states, words and signs fire by the verdict", () => {
    expect(evaluate({ kind: "status", statuses: ["failed"] })).toBeNull();
    expect(
      evaluate({ kind: "status", statuses: ["failed"] }, [], {
        status: "failed",
        statusReason: "no disk",
      }),
    ).toMatchObject({ title: "The run is failed", detail: "no disk.", step: 12 });
    expect(evaluate({ kind: "word", words: ["Down"] })).toBeNull();
    expect(evaluate({ kind: "word", words: ["Degraded"] })).toMatchObject({ step: 7 });
    expect(evaluate({ kind: "sign", signs: ["stall"] })).toBeNull();
    expect(evaluate({ kind: "sign", signs: ["stall", "entropy-collapse"] })).toMatchObject({
      ...{ title: "Entropy has collapsed", step: 7, metricKey: "actor/entropy" },
    });
  });
});
