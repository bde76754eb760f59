import { ALERT_OVER, type RunEvent } from "@liverl/contract/run";
import { expect, test } from "vitest";
import { spansAt, visibleSpan } from "#charts/chart-span.ts";
import { prepareSpans } from "#charts/prepare-spans.ts";

let id = 0;
const event = (
  message: string,
  step: number | null,
  kind: RunEvent["kind"] = "alert",
): RunEvent => {
  id += 1;
  return { id, kind, step, at: "2026-11-25T10:00:00Z", actor: "liverl", message };
};

test("an alert is a span from where it fired to where the run was when it was over", () => {
  const spans = prepareSpans([
    event("Reward fell (reward)", 120),
    event("steps", 124, "checkpoint"),
    event(`${ALERT_OVER}Reward fell (reward); it recovered`, null),
    event("KL is high (kl)", 130),
  ]);
  expect(spans).toEqual([
    { from: 120, to: 124, severity: "warn", label: "Reward fell (reward)" },
    { from: 130, to: null, severity: "warn", label: "KL is high (kl)" },
  ]);
  expect(spansAt(spans, 122).map(({ label }) => label)).toEqual(["Reward fell (reward)"]);
  expect(spansAt(spans, 500).map(({ label }) => label)).toEqual(["KL is high (kl)"]);
  expect(visibleSpan({ from: 120, to: 124, severity: "bad", label: "" }, [122, 200])).toEqual([
    122, 124,
  ]);
  expect(visibleSpan({ from: 120, to: null, severity: "bad", label: "" }, [1, 119])).toBeNull();
});
