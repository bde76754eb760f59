import { afterEach, expect, it } from "vitest";
import recorded from "#backends/__fixtures__/vllm-0.32.json" with { type: "json" };
import {
  EngineAway,
  EngineRefusal,
  type EngineTurn,
  type GenerateChunk,
} from "#backends/inference-backend.ts";
import { TokenApi } from "#backends/token-api.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { type RecordedAnswer, ReplayEngine } from "#testing/replay-engine.ts";

const GENERATE = "/inference/v1/generate";
const COMPLETIONS = "/v1/completions";
const PROMPT = [10, 20, 30, 40, 50, 60, 70, 80];
const IDS = [192, 1035, 1203, 169, 346, 352];
const LOGPROBS = [
  -1.7329378128051758, -5.18092155456543, -7.834046363830566, -3.779897451400757,
  -2.8861587047576904, -8.848694801330566,
];

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function start(answers: Record<string, RecordedAnswer>) {
  const engine = await ReplayEngine.start(answers);
  const api = new TokenApi(engine.url, { keyPath: null });
  open.push({ stop: () => api.destroy() }, engine);
  return { engine, api };
}

const turn = (fields: Partial<EngineTurn> = {}): EngineTurn => ({
  requestId: "s-c0-0",
  sessionId: "s",
  prompt: new TokenPrompt([PROMPT.slice(0, 3), PROMPT.slice(3)]),
  sampling: { max_tokens: 6, temperature: 1, seed: 7, stop_token_ids: [2], logprobs: 0 },
  cacheSalt: "run.v3",
  ...fields,
});

async function sample(api: TokenApi, asked = turn()): Promise<GenerateChunk[]> {
  const chunks: GenerateChunk[] = [];
  for await (const chunk of api.generate(asked, new AbortController().signal)) chunks.push(chunk);
  return chunks;
}

const idsOf = (chunks: GenerateChunk[]) => chunks.flatMap((chunk) => chunk.ids);
const logprobsOf = (chunks: GenerateChunk[]) => chunks.flatMap((chunk) => chunk.logprobs);

it("speaks /inference/v1/generate where it is", async () => {
  const { engine, api } = await start({ [GENERATE]: recorded.generateStream });
  const chunks = await sample(api);
  expect(idsOf(chunks)).toEqual(IDS);
  expect(logprobsOf(chunks)).toEqual(LOGPROBS);
  expect(chunks.at(-1)).toMatchObject({
    finishReason: "length",
    versions: [{ version: "default", start: 0, end: 6 }],
  });
  expect(engine.asked.map((asked) => asked.path)).toEqual([GENERATE]);
  expect(engine.bodies(GENERATE)[0]).toEqual({
    request_id: "s-c0-0",
    token_ids: PROMPT,
    sampling_params: { max_tokens: 6, temperature: 1, seed: 7, stop_token_ids: [2], logprobs: 0 },
    stream: true,
    cache_salt: "run.v3",
  });
});

it.each([
  ["switched off", recorded.scaleOutDisabled],
  ["not there", recorded.unknownPath],
])("falls back to /v1/completions where generate is %s, and asks no more", async (_, answer) => {
  const { engine, api } = await start({
    [GENERATE]: answer,
    [COMPLETIONS]: recorded.completionsStream,
  });
  const chunks = await sample(api);
  expect(idsOf(chunks)).toEqual(IDS);
  expect(logprobsOf(chunks)).toEqual(LOGPROBS);
  expect(chunks.map((chunk) => chunk.finishReason).filter(Boolean)).toEqual(["length"]);
  await sample(api);
  expect(engine.asked.map((asked) => asked.path)).toEqual([GENERATE, COMPLETIONS, COMPLETIONS]);
  expect(engine.bodies(COMPLETIONS)[0]).toEqual({
    request_id: "s-c0-0",
    prompt: PROMPT,
    max_tokens: 6,
    temperature: 1,
    seed: 7,
    stop_token_ids: [2],
    logprobs: 0,
    stream: true,
    cache_salt: "run.v3",
    return_token_ids: true,
    return_tokens_as_token_ids: true,
    skip_special_tokens: false,
    add_special_tokens: false,
  });
});

it("asks anew which endpoint is there once the engine broke off", async () => {
  const { engine, api } = await start({
    [GENERATE]: recorded.scaleOutDisabled,
    [COMPLETIONS]: recorded.engineDead,
  });
  await expect(sample(api)).rejects.toThrow(EngineAway);
  engine.answers = { [GENERATE]: recorded.generateStream };
  expect(idsOf(await sample(api))).toEqual(IDS);
});

it("says what is wrong with an engine that takes no token ids", async () => {
  const { api } = await start({});
  await expect(sample(api)).rejects.toThrow(/no endpoint that takes token ids/);
});

it("takes ids from ids alone: the prompt's tail in the text is not sampled", async () => {
  const { api } = await start({ [COMPLETIONS]: recorded.promptEndsInPartialUtf8 });
  const prompt = new TokenPrompt([[275, 1165, 1735, 1643, 1564, 129]]);
  expect(idsOf(await sample(api, turn({ prompt })))).toEqual([1645, 1048]);
});

it("reads token_id:N as an id, and refuses an engine that gives text alone", async () => {
  const [choice] = recorded.completionsNamedIds.body.choices;
  const chunk = { choices: [{ ...choice, token_ids: null }] };
  const { engine, api } = await start({
    [COMPLETIONS]: { status: 200, events: [chunk, "[DONE]"] },
  });
  expect(idsOf(await sample(api))).toEqual(IDS);
  const text = { choices: [{ index: 0, text: "a", logprobs: { tokens: ["a"] } }] };
  engine.answers = { [COMPLETIONS]: { status: 200, events: [text, "[DONE]"] } };
  await expect(sample(api)).rejects.toThrow(/gives no token ids/);
});

it("refuses an answer to another prompt than was sent", async () => {
  const { api } = await start({ [COMPLETIONS]: recorded.completionsStream });
  const prompt = new TokenPrompt([[2, ...PROMPT]]);
  await expect(sample(api, turn({ prompt }))).rejects.toThrow(/another prompt/);
});

it("an error inside a stream is an error: the client's is a refusal, the engine's means to go elsewhere", async () => {
  const { engine, api } = await start({ [COMPLETIONS]: recorded.unknownIdInStream });
  await expect(sample(api)).rejects.toThrow(EngineRefusal);
  const dead = { error: { message: "EngineCore encountered an issue.", code: 500 } };
  engine.answers = { [COMPLETIONS]: { status: 200, events: [dead, "[DONE]"] } };
  await expect(sample(api)).rejects.toThrow(EngineAway);
  engine.answers = {
    [COMPLETIONS]: { status: 200, events: recorded.completionsStream.events.slice(0, 3) },
  };
  await expect(sample(api)).rejects.toThrow(/broke off/);
});

it.each([
  ["a prompt that is too long", recorded.promptTooLong, EngineRefusal],
  ["an engine whose core died", recorded.engineDead, EngineAway],
])("%s is told apart by its status", async (_, answer, kind) => {
  const { api } = await start({ [GENERATE]: answer });
  await expect(sample(api)).rejects.toThrow(kind);
});

it("case 10: log-probs that are no numbers in JSON do not break the stream", async () => {
  const events = [
    '{"choices":[{"index":0,"finish_reason":null,"token_ids":[1,2,3],"note":"NaN \\"Infinity","logprobs":{"token_logprobs":[NaN,-Infinity,null]}}]}',
    '{"choices":[{"index":0,"finish_reason":"stop","token_ids":[],"logprobs":null}]}',
    "[DONE]",
  ];
  const { api } = await start({ [COMPLETIONS]: { status: 200, events } });
  const chunks = await sample(api);
  expect(idsOf(chunks)).toEqual([1, 2, 3]);
  expect(logprobsOf(chunks)).toEqual([-1e9, -1e9, null]);
});

it("ends a request by the id that the engine knows it by, and never without one", async () => {
  const abort = "/inference/v1/abort_requests";
  const { engine, api } = await start({
    [abort]: { status: 200 },
    [GENERATE]: recorded.generateStream,
  });
  await api.abort("r1");
  expect(engine.bodies(abort)).toEqual([{ request_ids: ["generate-tokens-r1"] }]);
  engine.answers = {
    [GENERATE]: recorded.scaleOutDisabled,
    [COMPLETIONS]: recorded.completionsStream,
    "/abort_requests": { status: 200 },
  };
  const other = new TokenApi(engine.url, { keyPath: null });
  open.push({ stop: () => other.destroy() });
  await sample(other);
  await other.abort("r2");
  expect(engine.bodies("/abort_requests")).toEqual([{ request_ids: ["cmpl-r2-0"] }]);
  engine.answers = { ...engine.answers, "/abort_requests": { status: 404 } };
  await expect(other.abort("r3")).rejects.toThrow(EngineAway);
});

it("knows the version by /weight_info and by spans, and asks no engine that has none", async () => {
  const info = (version: string) => ({ status: 200, body: { weight_version: version } });
  const { engine, api } = await start({ "/weight_info": info("step-4") });
  expect(await api.weightVersion(0)).toBe(4);
  engine.answers = { "/weight_info": info("default") };
  expect(await api.weightVersion(60_000)).toBe(4);
  expect(await api.weightVersion(0)).toBeNull();

  const spans = recorded.generateStream.events.map((event) =>
    typeof event === "string"
      ? event
      : {
          ...event,
          choices: event.choices.map((choice) => ({
            ...choice,
            weight_versions: choice.finish_reason && [{ version: "step-5", start: 0, end: 6 }],
          })),
        },
  );
  const silent = await start({ [GENERATE]: { status: 200, events: spans } });
  expect(await silent.api.weightVersion(0)).toBeNull();
  await sample(silent.api);
  expect(await silent.api.weightVersion(Number.POSITIVE_INFINITY)).toBe(5);
  await silent.api.weightVersion(0);
  expect(silent.engine.asked.filter(({ path }) => path === "/weight_info")).toHaveLength(1);
});

it.each([
  [GENERATE, recorded.generateScored, PROMPT, recorded.generateScored.body.prompt_logprobs],
  [
    COMPLETIONS,
    recorded.completionsScored,
    [275, 1165, 1735, 1643, 1564, 129, 522, 241, 1014, 1558, 920, 967].concat([
      1334, 777, 1615, 429, 192, 999, 58, 1829, 1711, 798, 886, 1244,
    ]),
    recorded.completionsScored.body.choices[0]!.prompt_logprobs,
  ],
])("scores a prompt by %s", async (path, answer, ids, scores) => {
  const { engine, api } = await start({ [path]: answer });
  const signal = new AbortController().signal;
  const asked = { requestId: "score", temperature: 1 };
  const scored = await api.scorePrompt(new TokenPrompt([ids]), asked, signal);
  const given = scores as (Record<string, { logprob: number }> | null)[];
  expect(scored).toEqual(ids.map((id, i) => given[i]?.[id]?.logprob ?? null));
  expect(scored[0]).toBeNull();
  expect(scored.slice(1).every((logprob) => typeof logprob === "number")).toBe(true);
  expect(JSON.stringify(engine.bodies(path))).toContain('"prompt_logprobs":0');
  const longer = new TokenPrompt([ids, [90]]);
  await expect(api.scorePrompt(longer, asked, signal)).rejects.toThrow(/prompt_logprobs/);
});
