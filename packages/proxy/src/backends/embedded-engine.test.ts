import { afterAll, beforeAll, expect, it } from "vitest";
import type { EngineTurn, GenerateChunk } from "#backends/inference-backend.ts";
import { TokenApi } from "#backends/token-api.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { EmbeddedEngine } from "#testing/embedded-engine.ts";

let engine: EmbeddedEngine;
let api: TokenApi;

beforeAll(async () => {
  engine = await EmbeddedEngine.start();
  api = new TokenApi(engine.url, { keyPath: engine.keyPath });
});
afterAll(async () => {
  await api.destroy();
  await engine.stop();
});

const PROMPT = [[10, 20, 30], [40], [50, 60]];
const turn = (requestId: string, max_tokens: number): EngineTurn => ({
  ...{ requestId, sessionId: "s", prompt: new TokenPrompt(PROMPT), cacheSalt: "run" },
  sampling: { max_tokens, temperature: 1, top_p: 1, seed: 5, logprobs: 0, ignore_eos: true },
});

async function sample(asked: EngineTurn, onChunk: () => void = () => {}) {
  const chunks: GenerateChunk[] = [];
  for await (const chunk of api.generate(asked, new AbortController().signal)) {
    chunks.push(chunk);
    onChunk();
  }
  return {
    ids: chunks.flatMap(({ ids }) => ids),
    logprobs: chunks.flatMap(({ logprobs }) => logprobs),
    end: chunks.at(-1),
  };
}

it("scores a prompt as it sampled it", async () => {
  expect(await api.weightVersion(0)).toBe(3);
  const { ids, logprobs, end } = await sample(turn("a", 60));
  expect(ids).toHaveLength(60);
  expect(end).toMatchObject({
    finishReason: "length",
    versions: [{ version: "3", start: 0, end: 60 }],
  });
  const prompt = new TokenPrompt([...PROMPT, ids]);
  const asked = { requestId: "score", temperature: 1 };
  const scored = await api.scorePrompt(prompt, asked, new AbortController().signal);
  expect(scored[0]).toBeNull();
  const differences = logprobs.map((logprob, i) => Math.abs(logprob! - scored[6 + i]!));
  expect(Math.max(...differences)).toBeLessThan(1e-4);
  // The same ids under other policies are not as likely: the comparison can fail.
  const other = await api.scorePrompt(
    new TokenPrompt([[...PROMPT.flat()].reverse(), ids]),
    asked,
    new AbortController().signal,
  );
  expect(Math.abs(logprobs[0]! - other[6]!)).toBeGreaterThan(1e-3);
});

it("ends a request by its id, once, and says what was sampled until then", async () => {
  let chunks = 0;
  let aborted = Promise.resolve();
  const { ids, logprobs, end } = await sample(turn("b", 200), () => {
    if (++chunks === 3) aborted = api.abort("b");
  });
  await aborted;
  expect(end).toMatchObject({ finishReason: "abort" });
  expect(ids.length).toBeGreaterThan(2);
  expect(ids.length).toBeLessThan(200);
  expect(logprobs).toHaveLength(ids.length);
  expect(end!.versions!.at(-1)!.end).toBe(ids.length);
});
