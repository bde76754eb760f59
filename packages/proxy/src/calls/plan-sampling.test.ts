import { readFile } from "node:fs/promises";
import { Sampling } from "@liverl/contract/rollout";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { COMPLETIONS_ENDPOINT } from "#backends/completions-endpoint.ts";
import { GENERATE_ENDPOINT } from "#backends/generate-endpoint.ts";
import { SglangApi } from "#backends/sglang-api.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";
import { ProxyBench, postChat } from "#testing/proxy-bench.ts";
import { ReplayEngine } from "#testing/replay-engine.ts";

/** Every parameter that a run can set, at a value that is not its default. */
const ALL = {
  temperature: 0.7,
  max_tokens: 99,
  top_p: 0.9,
  top_k: 40,
  min_p: 0.05,
  repetition_penalty: 1.1,
  presence_penalty: 0.5,
  frequency_penalty: 0.25,
  min_tokens: 3,
  ignore_eos: true,
  seed: 7,
} as const;
/** The seed of a call is a hash of the run's seed and of the call. */
const UNCHANGED = Object.keys(ALL).filter((key) => key !== "seed") as (keyof typeof ALL)[];

let bench: ProxyBench;
beforeAll(async () => {
  bench = await ProxyBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.engine.seen.length = 0;
  bench.say("ok");
});

it("covers every parameter of the schema", () => {
  expect(Object.keys(ALL).sort()).toEqual(Object.keys(Sampling.shape).sort());
});

it("refuses a parameter that it does not know", () => {
  expect(Sampling.safeParse({ ...ALL, typical_p: 0.5 }).error?.issues[0]?.code).toBe(
    "unrecognized_keys",
  );
});

it.each(UNCHANGED)("%s reaches the engine and the trajectory", async (key) => {
  const session = await bench.openSession({ sampling: ALL });
  await postChat(session, { messages: [{ role: "user", content: "Hi" }] });
  const { request } = bench.engine.seen[0]!;
  expect(request.sampling_params[key]).toBe(ALL[key]);
  const { trajectory } = await bench.complete(session.sessionId);
  expect(trajectory.calls[0]!.sampling[key]).toBe(ALL[key]);
});

it("a seed of the run changes the seed of its calls", async () => {
  const seeds = [];
  for (const seed of [7, 8]) {
    const session = await bench.openSession({ sampling: { ...ALL, seed }, rolloutId: "same" });
    await postChat(session, { messages: [{ role: "user", content: "Hi" }] });
    seeds.push(bench.engine.seen.at(-1)!.request.sampling_params.seed);
  }
  expect(seeds[0]).not.toBe(seeds[1]);
});

const turn = {
  requestId: "r",
  sessionId: "s",
  prompt: new TokenPrompt([[5, 6]]),
  sampling: { ...ALL, stop_token_ids: [2] },
  cacheSalt: "salt",
};

it("vLLM's two endpoints are sent every parameter", () => {
  const generate = JSON.parse(GENERATE_ENDPOINT.turnBody(turn).toString()).sampling_params;
  expect(generate).toMatchObject({ ...ALL, stop_token_ids: [2] });
  const completions = JSON.parse(COMPLETIONS_ENDPOINT.turnBody(turn).toString());
  expect(completions).toMatchObject({ ...ALL, stop_token_ids: [2] });
});

it("sglang is sent every parameter under its own name, but for the seed", async () => {
  const engine = await ReplayEngine.start({ "/generate": { status: 500 } });
  const api = new SglangApi(engine.url, { keyPath: null });
  try {
    await expect(api.generate(turn, new AbortController().signal).next()).rejects.toThrow();
    const { max_tokens, min_tokens, seed: _, ...same } = ALL;
    expect(engine.bodies("/generate")[0]).toMatchObject({
      sampling_params: { ...same, max_new_tokens: max_tokens, min_new_tokens: min_tokens },
    });
  } finally {
    await api.destroy();
    await engine.stop();
  }
});

it("the Python adapter passes on the same parameters", async () => {
  const adapter = new URL("../../../verl-adapter/src/liverl_verl/", import.meta.url);
  const names = async (file: string, start: string) => {
    const text = await readFile(new URL(file, adapter), "utf8");
    const table = text.slice(text.indexOf(start)).split(/\n[)}]/)[0] ?? "";
    return [...table.matchAll(/^ {4}"([a-z_]+)"/gm)].map(([, name]) => name!);
  };
  const own = Object.keys(Sampling.shape);
  expect(await names("verl_engine.py", "_SAMPLING = (")).toEqual(expect.arrayContaining(own));
  expect(
    [...(await names("agent_loop.py", "_PASSED_ON")), "temperature", "max_tokens"].sort(),
  ).toEqual(own.sort());
});
