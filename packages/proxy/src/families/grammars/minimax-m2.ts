import { THINK } from "#families/grammars/chatml.ts";
import { tagFamily } from "#families/tag-family.ts";
import { type ParameterTags, readTaggedParameters, unquoted } from "#families/tagged-parameters.ts";
import { typedValue } from "#families/typed-value.ts";

const TAGS: ParameterTags = {
  open: /<parameter name=(?<name>[^<>]*)>/g,
  close: "</parameter>",
  isPadded: false,
};
const NAME = /^(?<name>[^<>]+)>/;

/**
 * MiniMax-M2: `<minimax:tool_call>` around `<invoke name="…">` with `<parameter name="…">VALUE</parameter>`, after
 * vLLM's `parser/minimax_m2.py`: values are kept to the letter, an invocation may stand alone, and the outer marks
 * count by their tokens alone.
 */
export const minimaxM2 = tagFamily(
  "minimax-m2",
  ({ template }) => template.includes("<minimax:tool_call>"),
  {
    think: THINK,
    section: { open: "<minimax:tool_call>", close: "</minimax:tool_call>" },
    call: { open: "<invoke name=", close: "</invoke>" },
    takesBareCalls: true,
    takesSpelled: false,
    isJson: false,
    unclosed: "text",
    readCall: (body, schemas) => {
      const header = NAME.exec(body);
      const name = unquoted(header?.groups?.name?.trim() ?? "");
      if (!header || !name) return null;
      return readTaggedParameters(name, body.slice(header[0].length), TAGS, (parameter, text) =>
        typedValue(text, schemas(name, parameter)),
      );
    },
  },
  { stops: ["[e~["], close: "[e~[", closesToo: [], opensNext: [] },
);
