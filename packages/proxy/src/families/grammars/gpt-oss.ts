import type { Family } from "#families/family.ts";
import { HARMONY_MARKS, HarmonyParser } from "#families/harmony-parser.ts";

/** gpt-oss. A sampled `<|return|>` or `<|call|>` closes a turn; templates write `<|end|>` behind earlier answers. */
export const gptOss: Family = {
  id: "gpt-oss",
  matches: ({ template, addedTokens }) =>
    template.includes("<|channel|>analysis<|message|>") &&
    addedTokens.some((token) => token.content === "<|channel|>"),
  marks: HARMONY_MARKS,
  turnEnd: {
    stops: ["<|return|>", "<|call|>"],
    close: "<|end|>",
    closesToo: ["<|return|>", "<|call|>"],
    opensNext: [],
  },
  start: (options) => new HarmonyParser(options),
};
