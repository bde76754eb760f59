import { fail, pass, set, shapeOf, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

/** From here on a product of ratios over a whole sequence says little. */
const LONG_RESPONSE = 8192;

export const LENGTH_RULES: readonly VerlRule[] = [
  {
    id: "window",
    judge: ({ lengths }) => {
      const longest = lengths.max_prompt_length + lengths.max_response_length;
      const { max_model_len } = lengths;
      if (max_model_len === null || longest <= max_model_len)
        return pass(
          "Window",
          `${lengths.max_prompt_length} + ${lengths.max_response_length} = ${longest} tokens.`,
          { field: "lengths.max_model_len" },
        );
      return fail(
        "Prompt and response do not fit the window",
        `${lengths.max_prompt_length} + ${lengths.max_response_length} = ${longest}, max_model_len is ${max_model_len}; verl would cut responses short without a word.`,
        { fix: set("lengths.max_model_len", longest) },
      );
    },
  },
  {
    id: "model-window",
    judge: ({ lengths }, evidence) => {
      const most = shapeOf(evidence)?.maxPositions;
      const window =
        lengths.max_model_len ?? lengths.max_prompt_length + lengths.max_response_length;
      if (most === null || most === undefined || window <= most) return null;
      return fail(
        "The window is longer than the model's",
        `${window} tokens; max_position_embeddings of the model is ${most}.`,
        {
          field: lengths.max_model_len === null ? "lengths.max_response_length" : null,
          fix: lengths.max_model_len === null ? null : set("lengths.max_model_len", most),
        },
      );
    },
  },
  {
    id: "turn-tokens",
    judge: ({ lengths, rollout }) =>
      rollout.max_tokens !== null && rollout.max_tokens > lengths.max_response_length
        ? warn(
            "A turn may be longer than all turns together",
            `${rollout.max_tokens} tokens a turn, ${lengths.max_response_length} for the whole response.`,
            { fix: set("rollout.max_tokens", null, "No limit a turn") },
          )
        : null,
  },
  {
    id: "importance-sampling",
    judge: ({ lengths, algorithm }) => {
      const { rollout_is, bypass_mode } = algorithm;
      if (bypass_mode) return null;
      const isLong = lengths.max_response_length >= LONG_RESPONSE;
      if (isLong && rollout_is === "sequence")
        return warn(
          "Importance weights of whole sequences",
          `Over ${lengths.max_response_length} tokens their product is near 0 for almost all rollouts, and the update rests on a few. Weights by token do not.`,
          { fix: set("algorithm.rollout_is", "token", "By token") },
        );
      if (isLong && rollout_is === null)
        return warn(
          "No correction between engine and trainer",
          "Engine and trainer give a token slightly different probabilities; on long responses that adds up. Importance sampling by token corrects it.",
          { fix: set("algorithm.rollout_is", "token", "By token") },
        );
      return null;
    },
  },
];
