import { THINK, TOOL_CALL } from "#families/grammars/chatml.ts";
import { tagFamily } from "#families/tag-family.ts";
import { type ParameterTags, readTaggedParameters } from "#families/tagged-parameters.ts";
import type { ToolSchemas } from "#families/tool-schemas.ts";
import { typedValue } from "#families/typed-value.ts";

const TAGS: ParameterTags = {
  open: /<arg_key>(?<name>[^<]*)<\/arg_key>\s*<arg_value>/g,
  close: "</arg_value>",
  isPadded: false,
};

/**
 * GLM-4.5 and later: `<tool_call>NAME\n<arg_key>K</arg_key>\n<arg_value>V</arg_value>\n</tool_call>` (4.7 writes no line
 * breaks), after vLLM's `parser/glm47_moe.py`: values are kept to the letter, marks count by their tokens alone.
 * Nothing closes a turn: sampling stops at the token that opens the next one.
 */
export const glm = tagFamily(
  "glm-4.5",
  ({ template }) => template.includes("<arg_key>") && template.includes("<|assistant|>"),
  {
    think: THINK,
    section: null,
    call: TOOL_CALL,
    takesBareCalls: false,
    takesSpelled: false,
    isJson: false,
    unclosed: "text",
    readCall,
  },
  {
    stops: ["<|user|>", "<|observation|>", "<|endoftext|>"],
    close: null,
    closesToo: ["<|endoftext|>"],
    opensNext: ["<|user|>", "<|observation|>"],
  },
);

function readCall(body: string, schemas: ToolSchemas) {
  const start = body.indexOf("<arg_key>");
  const name = (start < 0 ? body : body.slice(0, start)).trim();
  if (name === "" || /\s/.test(name)) return null;
  const parameters = start < 0 ? "" : body.slice(start);
  return readTaggedParameters(name, parameters, TAGS, (parameter, text) =>
    typedValue(text, schemas(name, parameter)),
  );
}
