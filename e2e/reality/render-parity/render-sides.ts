import { plain } from "@liverl/proxy/jinja/given-text";
import { JinjaError } from "@liverl/proxy/jinja/jinja-error";
import { JinjaTemplate } from "@liverl/proxy/jinja/jinja-template";
import type { Value } from "@liverl/proxy/jinja/python-values";
import { type LosslessValue, parseLossless } from "@liverl/proxy/json/parse-lossless";
import { givenLossless } from "@liverl/proxy/renderer/given-values";

/** One render of either side. */
export interface Outcome {
  case: (string | boolean)[];
  text?: string;
  refused?: string;
}

/** What both sides are told of the day. */
const NOW = new Date(2026, 1, 3, 4, 5, 6);

/** The fields of a JSON object, numbers and order kept. Throws where it is none. */
export function fieldsOf(value: LosslessValue | undefined): Map<string, LosslessValue> {
  if (value?.kind !== "object") throw new Error("a line of the suite is no object");
  return new Map(value.entries);
}

const valuesOf = (value: LosslessValue | undefined): Record<string, Value> =>
  Object.fromEntries([...fieldsOf(value)].map(([name, field]) => [name, givenLossless(field)]));

function outcome(name: Outcome["case"], render: () => string): Outcome {
  try {
    return { case: name, text: render() };
  } catch (error) {
    if (error instanceof JinjaError || error instanceof RangeError)
      return { case: name, refused: error.message };
    throw error;
  }
}

/** Each template with each conversation as it stands, with and without the generation prompt. */
export function renderTemplates(
  sources: readonly { name: string; source: string }[],
  conversations: readonly string[],
): Outcome[] {
  return sources.flatMap(({ name, source }) => {
    const template = new JinjaTemplate(source);
    return conversations.flatMap((line) => {
      const conversation = fieldsOf(parseLossless(line));
      const title = conversation.get("name");
      const { messages = [], tools = null } = valuesOf(parseLossless(line));
      return [false, true].map((prompt) =>
        outcome([name, title?.kind === "string" ? title.value : "", prompt], () =>
          plain(
            template.render(
              {
                bos_token: "<BOS>",
                eos_token: "<EOS>",
                messages,
                tools,
                documents: null,
                add_generation_prompt: prompt,
                ...valuesOf(conversation.get("kwargs")),
              },
              NOW,
            ),
          ),
        ),
      );
    });
  });
}

/** Single expressions and statements of the language. */
export function renderSnippets(snippets: readonly string[]): Outcome[] {
  return snippets.map((line) => {
    const { source, values } = JSON.parse(line) as { source: string; values: unknown };
    const given = valuesOf(parseLossless(JSON.stringify(values)));
    return outcome([source], () => plain(new JinjaTemplate(source).render(given, NOW)));
  });
}
