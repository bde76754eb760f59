import { AlertCondition, RULE_PRESETS } from "@liverl/contract/alert";
import { describeCondition } from "@liverl/contract/describe-condition";
import { expect, test } from "vitest";
import { draftOf, EMPTY_DRAFT, readDraft } from "#alerts/rule-draft.ts";

const PLACE = { project: "p", enabled: true };

test.each(RULE_PRESETS.map((preset) => [preset.name, preset] as const))(
  "the preset %s goes through the form unchanged",
  (_, { name, level, condition }) => {
    const read = AlertCondition.parse(condition);
    const { rule } = readDraft(draftOf({ name, level, condition: read }), PLACE);
    expect(rule).toMatchObject({ name, level, condition: read });
  },
);

test.each<[unknown, string]>([
  [
    { kind: "threshold", metric: "kl", side: "above", value: 0.1, steps: 3 },
    "kl above 0.1 for 3 steps",
  ],
  [
    { kind: "change", metric: "reward", direction: "falls", percent: 20, steps: 5 },
    "reward falls by 20 % over 5 steps",
  ],
  [
    { kind: "z-score", metric: "loss", z: 6, window: 50 },
    "loss 6 deviations off the median of 50 steps",
  ],
  [{ kind: "status", statuses: ["failed", "cancelled"] }, "the run is failed or cancelled"],
  [{ kind: "word", words: ["Stalled"] }, "the verdict is Stalled"],
  [
    { kind: "sign", signs: ["stall", "crashes"] },
    "No news from the trainer · The trainer was restarted",
  ],
])("a condition comes back from the form and is one line", (condition, line) => {
  const read = AlertCondition.parse(condition);
  const { rule } = readDraft(draftOf({ name: "n", level: "bad", condition: read }), PLACE);
  expect(rule?.condition).toEqual(read);
  expect(describeCondition(read)).toBe(line);
});

test("faults stand at their fields", () => {
  expect(readDraft(EMPTY_DRAFT, PLACE).faults).toEqual({
    name: "give it a name",
    signs: "choose at least one sign",
  });
  const metric = { ...EMPTY_DRAFT, name: "n", kind: "threshold" as const, steps: 0 };
  expect(readDraft(metric, PLACE).faults).toEqual({
    metric: "give the metric's key",
    value: "give a number",
    steps: "at least one step",
  });
});
