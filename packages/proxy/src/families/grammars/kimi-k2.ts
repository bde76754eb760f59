import type { FamilyEvidence, TurnEnd } from "#families/family.ts";
import { THINK } from "#families/grammars/chatml.ts";
import { readArguments } from "#families/json-call.ts";
import { tagFamily } from "#families/tag-family.ts";
import type { TagGrammar } from "#families/tag-parser.ts";

const ARGUMENTS = "<|tool_call_argument_begin|>";
const HEADER = /^(?:functions\.)?(?<name>.+?)(?<index>:\d+)?$/;

/**
 * `<|tool_calls_section_begin|>` and `…_end|>` around calls of the form
 * `<|tool_call_begin|>functions.NAME:INDEX<|tool_call_argument_begin|>ARGUMENTS<|tool_call_end|>`, by their tokens
 * alone (vLLM's `parser/kimi_k2.py`).
 */
const GRAMMAR: TagGrammar = {
  think: null,
  section: { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>" },
  call: { open: "<|tool_call_begin|>", close: "<|tool_call_end|>" },
  takesBareCalls: false,
  takesSpelled: false,
  isJson: false,
  unclosed: "text",
  readCall: (body) => {
    const at = body.indexOf(ARGUMENTS);
    const header = HEADER.exec(body.slice(0, Math.max(at, 0)).trim());
    if (!header?.groups?.name) return null;
    const read = readArguments(header.groups.name, body.slice(at + ARGUMENTS.length));
    return { ...read, isSound: read.isSound && header.groups.index !== undefined };
  },
};
const TURN_END: TurnEnd = {
  stops: ["<|im_end|>"],
  close: "<|im_end|>",
  closesToo: ["[EOS]"],
  opensNext: [],
};

const isKimi = ({ template }: FamilyEvidence) => template.includes("<|tool_calls_section_begin|>");
const thinks = ({ template }: FamilyEvidence) => template.includes("</think>");

/** Kimi-K2: no thought. */
export const kimiK2 = tagFamily(
  "kimi-k2",
  (evidence) => isKimi(evidence) && !thinks(evidence),
  GRAMMAR,
  TURN_END,
);

/** Kimi-K2-Thinking: the same calls, and thought between `<think>` and `</think>`. */
export const kimiK2Thinking = tagFamily(
  "kimi-k2-thinking",
  (evidence) => isKimi(evidence) && thinks(evidence),
  { ...GRAMMAR, think: THINK },
  TURN_END,
);
