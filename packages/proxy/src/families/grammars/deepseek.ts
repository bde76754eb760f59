import type { TurnEnd } from "#families/family.ts";
import { THINK } from "#families/grammars/chatml.ts";
import { readArguments } from "#families/json-call.ts";
import { tagFamily } from "#families/tag-family.ts";
import { type ParameterTags, readTaggedParameters } from "#families/tagged-parameters.ts";
import { jsonText } from "#families/typed-value.ts";

const END_OF_SENTENCE = "<｜end▁of▁sentence｜>";
const SEPARATOR = "<｜tool▁sep｜>";
const TURN_END: TurnEnd = {
  stops: [END_OF_SENTENCE],
  close: END_OF_SENTENCE,
  closesToo: [],
  opensNext: [],
};

/**
 * DeepSeek-V3.1: `<｜tool▁calls▁begin｜>` and `<｜tool▁calls▁end｜>` around calls of the form
 * `<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>`, by their tokens alone (vLLM's
 * `deepseekv31_tool_parser.py`). V3 and R1, which fence their JSON with backticks, are another grammar.
 */
export const deepseekV31 = tagFamily(
  "deepseek-v3.1",
  ({ template }) => template.includes("<｜tool▁calls▁begin｜>") && !template.includes("```json"),
  {
    think: { ...THINK, endsAtCall: false },
    section: { open: "<｜tool▁calls▁begin｜>", close: "<｜tool▁calls▁end｜>" },
    call: { open: "<｜tool▁call▁begin｜>", close: "<｜tool▁call▁end｜>" },
    takesBareCalls: false,
    takesSpelled: false,
    isJson: false,
    unclosed: "text",
    readCall: (body) => {
      const separator = body.indexOf(SEPARATOR);
      const name = body.slice(0, Math.max(separator, 0)).trim();
      return name === "" ? null : readArguments(name, body.slice(separator + SEPARATOR.length));
    },
  },
  TURN_END,
);

const TAGS: ParameterTags = {
  open: /<｜DSML｜parameter\s+name="(?<name>[^"]+)"(?:\s+string="(?<string>[^"]*)")?\s*>/g,
  close: "</｜DSML｜parameter>",
  isPadded: false,
};

/**
 * DeepSeek-V3.2's DSML: `<｜DSML｜function_calls>`, in it `<｜DSML｜invoke name="…">` with parameters that say
 * themselves whether they are strings (vLLM's `parser/deepseek_v32.py`). No tag is one token, so text decides.
 */
export const deepseekV32 = tagFamily(
  "deepseek-v3.2",
  // The template builds its tags from "｜DSML｜" and "function_calls".
  ({ template }) => template.includes("｜DSML｜") && template.includes("function_calls"),
  {
    think: { ...THINK, endsAtCall: false },
    section: { open: "<｜DSML｜function_calls>", close: "</｜DSML｜function_calls>" },
    call: { open: '<｜DSML｜invoke name="', close: "</｜DSML｜invoke>" },
    takesBareCalls: true,
    takesSpelled: true,
    isJson: false,
    unclosed: "text",
    readCall: (body) => {
      const end = body.indexOf('">');
      const name = body.slice(0, Math.max(end, 0));
      if (name === "") return null;
      return readTaggedParameters(name, body.slice(end + 2), TAGS, (_, text, isString) =>
        isString === "true" ? JSON.stringify(text) : (jsonText(text) ?? JSON.stringify(text)),
      );
    },
  },
  TURN_END,
);
