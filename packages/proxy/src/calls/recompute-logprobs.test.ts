import { afterEach, expect, it, vi } from "vitest";
import recorded from "#backends/__fixtures__/vllm-0.32.json" with { type: "json" };
import { ReplayEngine } from "#testing/replay-engine.ts";

const PROMPT = [10, 20, 30, 40, 50, 60, 70, 80];
const GENERATE = "/inference/v1/generate";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function recompute(environment: Record<string, string>, answer = recorded.generateScored) {
  for (const [key, value] of Object.entries(environment)) vi.stubEnv(key, value);
  const { recomputeLogprobs } = await import("#calls/recompute-logprobs.ts");
  const { TokenApi } = await import("#backends/token-api.ts");
  const { TokenPrompt } = await import("#backends/token-prompt.ts");
  const engine = await ReplayEngine.start({
    [GENERATE]: answer,
    "/weight_info": { status: 200, body: { weight_version: "7" } },
  });
  const backend = new TokenApi(engine.url, { keyPath: null });
  try {
    const recomputed = await recomputeLogprobs(backend, {
      prompt: new TokenPrompt([PROMPT]),
      from: 5,
      requestId: "s-score",
      temperature: 1,
      signal: new AbortController().signal,
    });
    return { recomputed, asked: engine.bodies(GENERATE).length };
  } finally {
    await backend.destroy();
    await engine.stop();
  }
}

const SCORES = recorded.generateScored.body.prompt_logprobs as (Record<
  string,
  { logprob: number }
> | null)[];

it("gives the log-probs of the tokens from a position on, with the version that scored them", async () => {
  const { recomputed } = await recompute({});
  expect(recomputed).toEqual({
    logprobs: [5, 6, 7].map((i) => SCORES[i]![String(PROMPT[i])]!.logprob),
    version: 7,
  });
});

it.each(["LIVERL_RECOMPUTE_LOGPROBS", "HARBOR_RECOMPUTE_MISMATCH_LOGPROBS"])(
  "asks no engine where %s is 0",
  async (name) => {
    expect(await recompute({ [name]: "0" })).toEqual({ recomputed: null, asked: 0 });
  },
);

it("our switch wins over its older name", async () => {
  const both = { LIVERL_RECOMPUTE_LOGPROBS: "1", HARBOR_RECOMPUTE_MISMATCH_LOGPROBS: "0" };
  expect((await recompute(both)).asked).toBe(1);
});

it("is null where the engine gives no scores", async () => {
  const silent = structuredClone(recorded.generateScored);
  silent.body.prompt_logprobs = [];
  expect((await recompute({}, silent)).recomputed).toBeNull();
});
