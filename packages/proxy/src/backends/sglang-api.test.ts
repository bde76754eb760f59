import { afterEach, expect, it } from "vitest";
import { EngineAway, EngineRefusal, type GenerateChunk } from "#backends/inference-backend.ts";
import { SglangApi } from "#backends/sglang-api.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { ReplayEngine } from "#testing/replay-engine.ts";

// No sglang runs here: a stand-in gives answers in the shape that sglang's source documents.
const LOGPROBS: [number, number, null][] = [
  [-0.5, 11, null],
  [-1.5, 12, null],
  [-2.5, 2, null],
];

function eventsOf(isIncremental: boolean, finish: object = { type: "stop", matched: 2 }) {
  const chunk = (from: number, to: number) => ({
    text: "",
    output_ids: LOGPROBS.slice(isIncremental ? from : 0, to).map(([, id]) => id),
    meta_info: {
      id: "r",
      completion_tokens: to,
      finish_reason: to === LOGPROBS.length ? finish : null,
      output_token_logprobs: LOGPROBS.slice(isIncremental ? from : 0, to),
      weight_version: "step-3",
    },
  });
  return { status: 200, events: [chunk(0, 1), chunk(1, 3), "[DONE]"] };
}

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function start(answers: Record<string, { status: number }>) {
  const engine = await ReplayEngine.start(answers);
  const api = new SglangApi(engine.url, { keyPath: null });
  open.push({ stop: () => api.destroy() }, engine);
  return { engine, api };
}

async function sample(api: SglangApi): Promise<GenerateChunk[]> {
  const chunks: GenerateChunk[] = [];
  const turn = {
    requestId: "r",
    sessionId: "s",
    prompt: new TokenPrompt([[5, 6], [7]]),
    sampling: { max_tokens: 9, temperature: 1, top_p: 1, seed: 4, stop_token_ids: [2] },
    cacheSalt: "run.v3",
  };
  for await (const chunk of api.generate(turn, new AbortController().signal)) chunks.push(chunk);
  return chunks;
}

it.each([
  ["all tokens so far", false],
  ["new tokens alone", true],
])("takes each token once from chunks of %s", async (_, isIncremental) => {
  const { engine, api } = await start({ "/generate": eventsOf(isIncremental) });
  const chunks = await sample(api);
  expect(chunks.flatMap(({ ids }) => ids)).toEqual([11, 12, 2]);
  expect(chunks.flatMap(({ logprobs }) => logprobs)).toEqual([-0.5, -1.5, -2.5]);
  expect(chunks.map(({ finishReason }) => finishReason)).toEqual([null, "stop"]);
  expect(await api.weightVersion(60_000)).toBe(3);
  expect(engine.bodies("/generate")[0]).toEqual({
    rid: "r",
    input_ids: [5, 6, 7],
    sampling_params: {
      max_new_tokens: 9,
      temperature: 1,
      top_p: 1,
      stop_token_ids: [2],
      skip_special_tokens: false,
    },
    stream: true,
    return_logprob: true,
    extra_key: "run.v3",
  });
});

it("an abort is an abort, and one with a status is what the status says", async () => {
  const { engine, api } = await start({ "/generate": eventsOf(false, { type: "abort" }) });
  expect((await sample(api)).at(-1)).toMatchObject({ finishReason: "abort" });
  const ended = (status_code: number) =>
    eventsOf(false, { type: "abort", message: "no", status_code });
  engine.answers = { "/generate": ended(503) };
  await expect(sample(api)).rejects.toThrow(EngineAway);
  engine.answers = { "/generate": ended(400) };
  await expect(sample(api)).rejects.toThrow(EngineRefusal);
});

it("ends a request by its id, and asks for the version", async () => {
  const { engine, api } = await start({
    "/abort_request": { status: 200 },
    "/get_weight_version": { status: 200, ...{ body: { weight_version: "9" } } },
  });
  await api.abort("r1");
  expect(engine.bodies("/abort_request")).toEqual([{ rid: "r1" }]);
  expect(await api.weightVersion(0)).toBe(9);
});

it("scores a prompt", async () => {
  const scores = [
    [null, 5, null],
    [-1.25, 6, null],
    [-0.75, 7, null],
  ];
  const body = { meta_info: { input_token_logprobs: scores } };
  const { api } = await start({ "/generate": { status: 200, ...{ body } } });
  const signal = new AbortController().signal;
  const asked = { requestId: "r", temperature: 1 };
  expect(await api.scorePrompt(new TokenPrompt([[5, 6, 7]]), asked, signal)).toEqual([
    null,
    -1.25,
    -0.75,
  ]);
  for (const other of [
    [5, 6],
    [5, 7, 6],
  ])
    await expect(api.scorePrompt(new TokenPrompt([other]), asked, signal)).rejects.toThrow(
      EngineRefusal,
    );
});
