import type { FamilyEvidence } from "#families/family.ts";
import { CHATML_END, THINK, TOOL_CALL } from "#families/grammars/chatml.ts";
import { readJsonCall } from "#families/json-call.ts";
import { tagFamily } from "#families/tag-family.ts";
import type { TagGrammar } from "#families/tag-parser.ts";

/**
 * Hermes: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, any number of times. A mark that is spelled out
 * counts, as in vLLM's `hermes` parser, which reads text; a closing mark inside of a JSON string does not.
 */
const GRAMMAR: TagGrammar = {
  think: null,
  section: null,
  call: TOOL_CALL,
  takesBareCalls: false,
  takesSpelled: true,
  isJson: true,
  unclosed: "sound-call",
  readCall: readJsonCall,
};

/** Other grammars use the same outer mark around tags of their own. */
const isHermes = ({ template }: FamilyEvidence) =>
  template.includes("<tool_call>") &&
  template.includes("arguments") &&
  !/<function=|<arg_key>|<invoke /.test(template);

const thinks = ({ template }: FamilyEvidence) => template.includes("</think>");

/** Qwen2.5 and Hermes: no thought. */
export const hermes = tagFamily(
  "hermes",
  (evidence) => isHermes(evidence) && !thinks(evidence),
  GRAMMAR,
  CHATML_END,
);

/** Qwen3 and QwQ: the same calls, and thought between `<think>` and `</think>`. */
export const qwen3 = tagFamily(
  "qwen3",
  (evidence) => isHermes(evidence) && thinks(evidence),
  { ...GRAMMAR, think: THINK },
  CHATML_END,
);
