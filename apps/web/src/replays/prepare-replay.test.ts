import type { ReplaySample } from "@liverl/contract/replay";
import { expect, test } from "vitest";
import {
  diffAgainst,
  nameWeights,
  sortSamples,
  tintByChange,
  tintByLogprob,
} from "#replays/prepare-replay.ts";

const sample = (index: number, meanLogprob: number | null, length: number): ReplaySample => ({
  ...{ index, meanLogprob, stopReason: "stop", flaw: null },
  tokens: { ids: Array(length).fill(1), text: Array(length).fill("a"), logprobs: [], versions: [] },
});

test("completions are sorted by likelihood or length, equal ones as they were sampled", () => {
  const samples = [sample(2, -0.5, 3), sample(0, null, 9), sample(1, -0.1, 3)];
  const places = (sort: "sampled" | "logprob" | "length") =>
    sortSamples(samples, sort).map(({ index }) => index);
  expect(places("sampled")).toEqual([0, 1, 2]);
  expect(places("logprob")).toEqual([1, 2, 0]);
  expect(places("length")).toEqual([0, 1, 2]);
});

test("tokens that look alike are one run, and one without a log-prob stays plain", () => {
  const runs = tintByLogprob(["a", "b", "c", "d"], [-0.01, -0.02, -3, null]);
  expect(runs).toEqual([
    { at: 0, text: "ab", tint: "q0" },
    { at: 2, text: "c", tint: "q5" },
    { at: 3, text: "d", tint: "" },
  ]);
});

test("a token that the chosen weights find likelier is up, by how much", () => {
  const original = {
    ...{ stopReason: null, meanLogprob: null, meanScore: null, scoreFault: null },
    sampling: { temperature: 1, top_p: 1, max_tokens: 9, stop_token_ids: [] },
    tokens: {
      ids: [1, 2, 3, 4],
      text: ["a", "b", "c", "d"],
      logprobs: [-2, -1, -1, -1],
      versions: [],
    },
    scores: [-0.2, -1.05, -1.6, null],
  };
  expect(tintByChange(original).map(({ tint }) => tint)).toEqual(["up3", "", "down2", ""]);
  expect(tintByChange({ ...original, scores: null })).toMatchObject([{ text: "abcd", tint: "" }]);
});

test("a difference is told word by word", () => {
  expect(diffAgainst("return a + b", "return a - b")).toEqual([
    { kind: "same", text: "return a " },
    { kind: "removed", text: "+" },
    { kind: "added", text: "-" },
    { kind: "same", text: " b" },
  ]);
});

test("weights are named", () => {
  expect(nameWeights({ kind: "checkpoint", runId: "r-01", step: 8 })).toBe("step 8 of r-01");
  expect(nameWeights({ kind: "engine", url: "http://e:8000", api: "vllm" })).toBe("http://e:8000");
});
