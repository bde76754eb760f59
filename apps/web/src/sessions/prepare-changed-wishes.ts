import type { Call } from "@liverl/contract/trajectory";

const LIMITS = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"]);
/** Fields that change nothing of what the engine is told, or that the proxy serves itself. */
const SERVED = new Set([
  ...["model", "stop", "stop_sequences", "logprobs", "top_logprobs", "store", "service_tier"],
  ...["text", "output_config", "truncation"],
]);
/** Values that ask for what happens anyway, as JSON. */
const NEUTRAL: Record<string, readonly string[]> = {
  top_k: ["0", "-1"],
  min_p: ["0"],
  presence_penalty: ["0"],
  frequency_penalty: ["0"],
  logit_bias: ["{}"],
  tool_choice: ['"auto"', '"none"', '{"type":"auto"}', '{"type":"none"}'],
  parallel_tool_calls: ["true"],
  thinking: ['{"type":"disabled"}'],
};

/** The client's wishes that the engine was told otherwise, or not at all: `temperature asked 0.2, told 1`. */
export function prepareChangedWishes({
  requested,
  sampling,
}: Pick<Call, "requested" | "sampling">): string[] {
  return Object.entries(requested).flatMap(([name, wanted]) => {
    if (SERVED.has(name)) return [];
    const isLimit = LIMITS.has(name);
    const told = sampling[isLimit ? "max_tokens" : name];
    const asked = JSON.stringify(wanted);
    if (told === undefined)
      return NEUTRAL[name]?.includes(asked) ? [] : [`${name} asked ${asked}, not told`];
    const isSame = isLimit ? Number(told) >= Number(wanted) : JSON.stringify(told) === asked;
    return isSame ? [] : [`${name} asked ${asked}, told ${JSON.stringify(told)}`];
  });
}
