import type { TurnEnd } from "#families/family.ts";

/** ChatML: every turn stands between `<|im_start|>` and `<|im_end|>`. */
export const CHATML_END: TurnEnd = {
  stops: ["<|im_end|>"],
  close: "<|im_end|>",
  closesToo: ["<|endoftext|>"],
  opensNext: [],
};

export const THINK = { open: "<think>", close: "</think>", endsAtCall: true };
export const TOOL_CALL = { open: "<tool_call>", close: "</tool_call>" };
