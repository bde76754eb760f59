import type { RolloutResult } from "@liverl/contract/rollout";
import type { RolloutSample } from "#learner/rollout-samples.ts";
import { mean, spread } from "#trainer/summarize.ts";

interface Lengths {
  prompt: number;
  response: number;
  sampled: number;
  versions: number[];
}

function lengthsOf(rollout: RolloutResult): Lengths[] {
  return rollout.segments.map(({ tokenIds, mask, policyVersions }) => {
    const first = mask.indexOf(1);
    const prompt = first === -1 ? tokenIds.length : first;
    const versions = policyVersions.filter((version) => version !== null);
    return {
      prompt,
      response: tokenIds.length - prompt,
      sampled: mask.reduce<number>((a, b) => a + b, 0),
      versions,
    };
  });
}

/** Sampled tokens of some rollouts. */
export function sampledTokens(rollouts: readonly RolloutResult[]): number {
  return rollouts.flatMap(lengthsOf).reduce((sum, { sampled }) => sum + sampled, 0);
}

/** What verl logs of a batch, from the rollouts alone. Response lengths include the answers of tools, as verl's do. */
export function rolloutMetrics(
  rollouts: readonly RolloutResult[],
  samples: readonly RolloutSample[],
  { trainerVersion, contextLength }: { trainerVersion: number; contextLength: number },
): Record<string, number> {
  const rewarded = rollouts.filter((rollout) => rollout.reward !== null);
  const rewards = rewarded.map((rollout) => rollout.reward ?? Number.NaN);
  const lengths = rollouts.flatMap(lengthsOf);
  const responses = lengths.map(({ response }) => response);
  const prompts = lengths.map(({ prompt }) => prompt);
  const spans = lengths
    .filter(({ versions }) => versions.length > 0)
    .map(({ versions }) => [Math.min(...versions), Math.max(...versions)] as const);
  const partial = spans.filter(([first, last]) => last > first);
  const total = lengths.reduce((sum, { prompt, response }) => sum + prompt + response, 0);
  const full = lengths.filter(({ prompt, response }) => prompt + response >= contextLength).length;
  return {
    ...spread("critic/score", rewards),
    ...spread("critic/rewards", rewards),
    ...spread(
      "critic/advantages",
      samples.flatMap(({ advantages }) => advantages),
    ),
    ...spread(
      "critic/returns",
      samples.flatMap(({ returns }) => returns),
    ),
    ...spread("prompt_length", prompts),
    "prompt_length/clip_ratio": 0,
    ...spread("response_length", responses),
    "response_length/clip_ratio": lengths.length === 0 ? Number.NaN : full / lengths.length,
    ...spread(
      "response_length_non_aborted",
      responses.filter((length) => length > 0),
    ),
    "response/aborted_ratio":
      rollouts.length === 0
        ? Number.NaN
        : rollouts.filter((rollout) => lengthsOf(rollout).every(({ response }) => response === 0))
            .length / rollouts.length,
    // Chat turns as verl counts them: each answer of the assistant follows one message.
    ...spread(
      "training/num_turns",
      rollouts.map(({ turns }) => 2 * turns),
    ),
    ...spread(
      "training/off_policy/trajectory_spans",
      spans.map(([first, last]) => last - first + 1),
    ),
    ...spread(
      "training/off_policy/trajectory_staleness",
      spans.map(([, last]) => trainerVersion - last),
    ),
    ...spread(
      "training/off_policy/trajectory_staleness_worst",
      spans.map(([first]) => trainerVersion - first),
    ),
    "fully_async/partial/total_partial_num": partial.length,
    "fully_async/partial/partial_ratio":
      spans.length === 0 ? Number.NaN : partial.length / spans.length,
    "fully_async/partial/max_partial_span": partial.reduce(
      (longest, [first, last]) => Math.max(longest, last - first),
      0,
    ),
    ...spread(
      "timing_s/agent_loop/generate_sequences",
      rollouts.map(({ timings }) => timings.generateS),
    ),
    ...spread(
      "timing_s/agent_loop/tool_calls",
      rollouts.map(({ timings }) => timings.toolS),
    ),
    ...spread(
      "timing_s/agent_loop/compute_score",
      rollouts.map(({ timings }) => timings.verifyS),
    ),
    "training/rollout_failure/evicted_samples": rollouts.length - rewarded.length,
    "global_seqlen/mean": mean(lengths.map(({ prompt, response }) => prompt + response)),
    "perf/total_num_tokens": total,
  };
}
