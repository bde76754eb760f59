import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenerateResponse } from "@liverl/contract/engine-api";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { EngineContext } from "#engine/engine-context.ts";
import { buildEngineServer } from "#engine/http/engine-server.ts";
import { startEngine } from "#engine/start-engine.ts";
import { Learner } from "#learner/learner.ts";
import { initialParameters } from "#model/parameters.ts";
import { writeModelFolder } from "#model/write-model-folder.ts";
import { encodeSafetensors } from "#safetensors/encode-safetensors.ts";

let directory: string;
let ctx: EngineContext;
let url: string;
let server: ReturnType<typeof buildEngineServer>;
const prompt = [10, 20, 30, 40, 50, 60, 70, 80];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "liverl-engine-"));
  await writeModelFolder(join(directory, "model"));
  await mkdir(join(directory, "weights"));
  ctx = await startEngine(directory, 0, pino({ level: "silent" }));
  for (const version of [1, 2]) {
    await writeFile(
      join(directory, "weights", `v${version}.safetensors`),
      encodeSafetensors(initialParameters(ctx.config, version)),
    );
  }
  server = buildEngineServer(ctx).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await ctx.log.close();
  await rm(directory, { recursive: true });
});

async function post(path: string, body: unknown, signal?: AbortSignal) {
  const headers = { authorization: `Bearer ${ctx.apiKey}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal });
}
const update = (version: number) =>
  post("/update_weights", {
    update_info: {
      path: join(directory, "weights", `v${version}.safetensors`),
      version,
      mode: "keep",
    },
  });
const generate = (sampling: object, extra: object = {}) =>
  post("/inference/v1/generate", {
    token_ids: prompt,
    sampling_params: { temperature: 1, logprobs: 0, ignore_eos: true, ...sampling },
    ...extra,
  });

test("no key, no answer; no weights, no tokens", async () => {
  expect((await fetch(`${url}/load`)).status).toBe(401);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await generate({ max_tokens: 2 })).status).toBe(503);
});

test("answers in vLLM's shape, and the log-probs are those of a full forward pass", async () => {
  expect((await update(1)).status).toBe(200);
  const sent: unknown = await (
    await generate({ max_tokens: 12, seed: 7, temperature: 0.7 }, { request_id: "abc" })
  ).json();
  const answer = GenerateResponse.parse(sent);
  expect(answer.request_id).toBe("generate-tokens-abc");
  expect(Object.keys(sent as object).sort()).toEqual([
    "choices",
    "created",
    "ec_transfer_params",
    "kv_transfer_params",
    "metrics",
    "mm_placeholders",
    "model",
    "output_mode",
    "prompt_logprobs",
    "prompt_token_id_logprobs",
    "prompt_token_ids",
    "request_id",
    "usage",
  ]);
  const choice = answer.choices[0]!;
  expect(choice).toMatchObject({
    finish_reason: "length",
    stop_reason: null,
    weight_versions: [{ version: "1", start: 0, end: 12 }],
  });
  const ids = [...prompt, ...choice.token_ids];
  const positions = choice.token_ids.map((_, i) => prompt.length + i - 1);
  const learner = await Learner.open(ctx.config, initialParameters(ctx.config, 1), 1);
  const [own] = (await learner.score([{ ids, positions }], 0.7)).logProbabilities;
  expect(choice.logprobs?.content).toHaveLength(12);
  for (const [i, { logprob }] of (choice.logprobs?.content ?? []).entries()) {
    expect(Math.abs((logprob ?? Number.NaN) - own[i])).toBeLessThan(1e-5);
  }
  const lines = (await readFile(join(directory, "engine-0.jsonl"), "utf8")).trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    requestId: "abc",
    ids: choice.token_ids,
    promptIds: prompt,
  });
  // Now from the prefix cache: the same seed gives the same ids.
  const again = GenerateResponse.parse(
    await (await generate({ max_tokens: 12, seed: 7, temperature: 0.7 })).json(),
  );
  expect(again.choices[0]!.token_ids).toEqual(choice.token_ids);
  expect(ctx.core.cache.hits).toBeGreaterThan(0);
});

test("requests that wait for others are served when those end in their prefill", async () => {
  const job = (at: number, promptIds: readonly number[]) => ({
    ...{ requestId: `short-${at}`, promptIds, maxTokens: 1, temperature: 1, topP: 1, seed: at },
    ...{
      stopIds: new Set<number>(),
      eosId: null,
      cacheSalt: "",
      wantsPromptLogprobs: at % 2 === 0,
    },
  });
  // The same prompt waits for the first one's cache entry; a prefill takes sixteen; the last comes while one is under way.
  const same = Array.from({ length: 3 }, (_, at) => ctx.core.submit(job(at, [91, 92, 93, 94])));
  const other = Array.from({ length: 40 }, (_, at) => ctx.core.submit(job(at, [95, 96, at, at])));
  const late = new Promise((resolve) => setImmediate(resolve)).then(
    () => ctx.core.submit(job(0, [97, 98, 99])).done,
  );
  const finished = await Promise.all([...[...same, ...other].map(({ done }) => done), late]);
  expect(finished.map(({ finishReason }) => finishReason)).toEqual(finished.map(() => "length"));
});

test("requests that wait for a slot stay still while the engine is frozen, also when new weights come in", async () => {
  const jobs = Array.from({ length: 80 }, (_, at) =>
    ctx.core.submit({
      ...{
        requestId: `frozen-${at}`,
        promptIds: [81, 82, at],
        maxTokens: 40,
        temperature: 1,
        topP: 1,
      },
      ...{
        seed: at,
        stopIds: new Set<number>(),
        eosId: null,
        cacheSalt: "",
        wantsPromptLogprobs: false,
      },
    }),
  );
  const parameters = initialParameters(ctx.config, 1);
  await Promise.all([ctx.core.updateWeights(parameters, 1, "keep"), ctx.core.pause("keep")]);
  expect(ctx.core.isPaused).toBe(true);
  // Nothing goes round in circles: a timer has its turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ctx.core.waitingCount).toBeGreaterThan(0);
  ctx.core.resume();
  const finished = await Promise.all(jobs.map(({ done }) => done));
  expect(finished.every(({ tokens }) => tokens.length === 40)).toBe(true);
});

test("faults are told in vLLM's words", async () => {
  const fault = async (body: object) =>
    z
      .object({ error: z.unknown() })
      .parse(await (await post("/inference/v1/generate", body)).json()).error;
  expect(await fault({ token_ids: [99_999], sampling_params: { max_tokens: 1 } })).toEqual({
    message: "Token id 99999 is out of vocabulary",
    type: "BadRequestError",
    param: null,
    code: 400,
  });
  expect(await fault({ token_ids: [], sampling_params: { max_tokens: 1 } })).toMatchObject({
    type: "Bad Request",
    param: "body.token_ids",
    code: 400,
  });
  expect(await fault({ token_ids: [1], sampling_params: { max_tokens: 0 } })).toMatchObject({
    param: "max_tokens",
    code: 400,
  });
});

test("new weights under a running request give spans, each token scored by its own version", async () => {
  const { done } = ctx.core.submit({
    requestId: "spans",
    promptIds: prompt,
    maxTokens: 40,
    temperature: 1,
    topP: 1,
    seed: 3,
    stopIds: new Set(),
    eosId: null,
    cacheSalt: "",
    wantsPromptLogprobs: false,
    onToken: () => {
      if (ctx.core.version === 1) void update(2);
    },
  });
  const { tokens } = await done;
  expect(new Set(tokens.map((token) => token.version))).toEqual(new Set([1, 2]));
  for (const version of [1, 2]) {
    const learner = await Learner.open(ctx.config, initialParameters(ctx.config, version), 1);
    const ids = [...prompt, ...tokens.map((token) => token.id)];
    const mine = tokens.flatMap((token, i) => (token.version === version ? [i] : []));
    const [own] = (
      await learner.score([{ ids, positions: mine.map((i) => prompt.length + i - 1) }], 1)
    ).logProbabilities;
    for (const [k, i] of mine.entries()) {
      expect(Math.abs(tokens[i].logprob - own[k])).toBeLessThan(1e-5);
    }
  }
});

test("a stream's chunks hold as many tokens as asked, after the first", async () => {
  const response = await post("/inference/v1/generate", {
    token_ids: prompt,
    stream: true,
    sampling_params: { max_tokens: 12, ignore_eos: true, stream_interval: 5 },
  });
  const chunks = (await response.text()).match(/^data: \{.*$/gm) ?? [];
  const sizes = chunks.map(
    (chunk) => GenerateResponse.parse(JSON.parse(chunk.slice(6))).choices[0]?.token_ids.length,
  );
  expect(sizes).toEqual([1, 5, 5, 1]);
});

test("a client that goes away ends its request", async () => {
  const aborted = ctx.core.finished.abort;
  const controller = new AbortController();
  const response = await post(
    "/inference/v1/generate",
    { token_ids: prompt, stream: true, sampling_params: { max_tokens: 240, ignore_eos: true } },
    controller.signal,
  );
  await response.body?.getReader().read();
  controller.abort();
  await expect.poll(() => ctx.core.finished.abort, { timeout: 20_000 }).toBe(aborted + 1);
});

test("a request that is ended by its id still sends its last chunk, with versions", async () => {
  const response = await post("/inference/v1/generate", {
    request_id: "ended-early",
    token_ids: prompt,
    stream: true,
    sampling_params: { max_tokens: 240, ignore_eos: true },
  });
  const abort = { request_ids: ["generate-tokens-ended-early"] };
  expect((await post("/inference/v1/abort_requests", abort)).status).toBe(200);
  const chunks = (await response.text()).match(/^data: \{.*$/gm) ?? [];
  const [choice] = GenerateResponse.parse(JSON.parse(chunks.at(-1)?.slice(6) ?? "")).choices;
  expect(choice).toMatchObject({
    finish_reason: "abort",
    weight_versions: [{ start: 0, version: String(ctx.core.version) }],
  });
});

test.each([
  ["top_k", 40],
  ["min_p", 0.1],
  ["repetition_penalty", 1.1],
  ["presence_penalty", 0.5],
  ["frequency_penalty", 0.5],
  ["min_tokens", 3],
  ["stop", ["x"]],
  ["logit_bias", { "1": 5 }],
])("refuses %s, which it does not implement", async (key, value) => {
  const response = await generate({ max_tokens: 2, [key]: value });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`does not support ${key}`);
});

test("takes parameters that are switched off", async () => {
  const off = { top_k: -1, min_p: 0, repetition_penalty: 1, presence_penalty: 0, stop: [] };
  expect((await generate({ max_tokens: 2, ...off })).status).toBe(200);
});
