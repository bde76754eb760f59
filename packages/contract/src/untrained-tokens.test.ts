import { expect, test } from "vitest";
import { describeUntrained } from "#untrained-tokens.ts";

const sum = (sampled: number, tokens: Record<string, number>, lossy = 0) => ({
  ...{ sampled, lossy },
  reasons: Object.entries(tokens).map(([reason, count]) => ({ reason, tokens: count })),
});

test.each([
  ["unknown", null, null],
  ["all trained", sum(1_000, {}), null],
  ["nothing sampled", sum(0, {}), null],
  [
    "several reasons",
    sum(1_000, { subagent: 30, "side-request": 10 }),
    "4 % of sampled tokens did not train: subagent 3 %, side-request 1 %.",
  ],
  [
    "lossy turns beside them",
    sum(1_000, { subagent: 30 }, 12),
    "3 % of sampled tokens did not train: subagent 3 %. Lossy turns, rewritten by the client, hold 12 more tokens that did not train (1.2 % of the sampled).",
  ],
  [
    "lossy turns alone",
    sum(1_000, {}, 400),
    "Lossy turns, rewritten by the client, hold 400 more tokens that did not train (40 % of the sampled).",
  ],
  [
    "a few tokens are not 0 %",
    sum(1_000_000, { truncated: 3 }),
    "<0.1 % of sampled tokens did not train: truncated <0.1 %.",
  ],
  [
    "almost all is not 100 %",
    sum(1_000_000, { filtered: 999_999 }),
    ">99.9 % of sampled tokens did not train: filtered >99.9 %.",
  ],
  [
    "all",
    sum(70, { "infra-error": 70 }),
    "100 % of sampled tokens did not train: infra-error 100 %.",
  ],
])("the sentence: %s", (_, given, text) => {
  expect(describeUntrained(given)).toBe(text);
});
