import type { FamilyEvidence } from "#families/family.ts";
import { CHATML_END, THINK, TOOL_CALL } from "#families/grammars/chatml.ts";
import { tagFamily } from "#families/tag-family.ts";
import type { TagGrammar } from "#families/tag-parser.ts";
import { type ParameterTags, readTaggedParameters } from "#families/tagged-parameters.ts";
import type { ToolSchemas } from "#families/tool-schemas.ts";
import { typedValue } from "#families/typed-value.ts";

const TAGS: ParameterTags = {
  open: /<parameter=(?<name>[^<>]*)>/g,
  close: "</parameter>",
  isPadded: true,
};

/**
 * `<tool_call>\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n</tool_call>`, after vLLM's
 * `parser/qwen3.py`: a function may stand without its `<tool_call>`, a value loses one line break at each end, and
 * what has a token counts by the token alone, so that a spelled-out `<tool_call>` is text.
 */
const GRAMMAR: TagGrammar = {
  think: null,
  section: TOOL_CALL,
  call: { open: "<function=", close: "</function>" },
  takesBareCalls: true,
  takesSpelled: false,
  isJson: false,
  unclosed: "call",
  isComplete: (body) => body.trimEnd().endsWith(TAGS.close) || /^[^<>]+>\s*$/.test(body),
  readCall: readFunction,
};

function readFunction(body: string, schemas: ToolSchemas) {
  const end = body.indexOf(">");
  const name = body.slice(0, Math.max(end, 0)).trim();
  if (name === "") return null;
  return readTaggedParameters(name, body.slice(end + 1), TAGS, (parameter, text) =>
    typedValue(text, schemas(name, parameter)),
  );
}

const isXml = ({ template }: FamilyEvidence) =>
  ["<tool_call>", "<function=", "<parameter="].every((mark) => template.includes(mark));
const thinks = ({ template }: FamilyEvidence) => template.includes("<think>");

/** Qwen3-Coder: no thought. */
export const qwen3Coder = tagFamily(
  "qwen3-coder",
  (evidence) => isXml(evidence) && !thinks(evidence),
  GRAMMAR,
  CHATML_END,
);

/** Qwen3.5 and later: the same calls, and thought that the generation prompt opens. */
export const qwen35 = tagFamily(
  "qwen3.5",
  (evidence) => isXml(evidence) && thinks(evidence),
  { ...GRAMMAR, think: THINK },
  CHATML_END,
);
