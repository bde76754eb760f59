import type { ReplayChoices } from "@liverl/contract/replay";
import { expect, test } from "vitest";
import { firstDraft, readDraft } from "#replays/replay-draft.ts";

const choices: ReplayChoices = {
  ...{ turn: 2, promptTokens: 9, tokens: 4, noCheckpoint: null, replays: [] },
  sampling: { temperature: 1, top_p: 1, max_tokens: 48, stop_token_ids: [3] },
  checkpoints: [{ runId: "a/b-01", runName: "b", step: 8, writtenAt: "2026-01-01T00:00:00.000Z" }],
};
const of = { rolloutId: "r", turn: 2, segmentId: 1, runId: "a/b-01" };

test("what is not changed is not sent, so that the original's values count", () => {
  const draft = firstDraft(choices);
  expect(readDraft(draft, of, choices)).toEqual({
    input: {
      ...{ rolloutId: "r", turn: 2, segmentId: 1, n: 4 },
      weights: { kind: "checkpoint", runId: "a/b-01", step: 8 },
    },
  });
  expect(readDraft({ ...draft, temperature: "0.5", maxTokens: "12" }, of, choices)).toMatchObject({
    input: { temperature: 0.5, maxTokens: 12 },
  });
});

test("without a checkpoint the run's engines are proposed", () => {
  const draft = firstDraft({ ...choices, checkpoints: [] });
  expect(readDraft(draft, of, choices)).toMatchObject({
    input: { weights: { kind: "live", runId: "a/b-01" } },
  });
});

test("each fault stands at its field", () => {
  const draft = { ...firstDraft(choices), kind: "engine" as const, url: "ftp://x", n: "99" };
  const read = readDraft({ ...draft, temperature: "" }, of, choices);
  expect("faults" in read && Object.keys(read.faults).sort()).toEqual([
    ...["n", "temperature", "weights.url"],
  ]);
});
