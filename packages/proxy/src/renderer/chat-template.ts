import { Template } from "@huggingface/jinja";
import { AppError } from "@liverl/contract/app-error";
import type { Message } from "@liverl/contract/trajectory";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import { chooseMarks, type Marks, resolveNumbers } from "#renderer/marks.ts";
import { TemplateValues, type ToolDefinitions } from "#renderer/template-values.ts";

export interface Rendered {
  text: string;
  marks: Marks;
}

/** A compiled chat template. What it returns still holds breakers and, where asked for, the anchor. */
export class ChatTemplate {
  readonly #template: Template;
  readonly #control: ControlTokens;
  readonly #tokens: { bos_token: string | null; eos_token: string | null };
  /** Whether what is rendered may depend on `tool_call_id`, which no two calls have in common. */
  readonly readsCallIds: boolean;

  constructor(
    source: string,
    control: ControlTokens,
    tokens: { bos_token: string | null; eos_token: string | null },
  ) {
    this.#template = new Template(source);
    this.#control = control;
    this.#tokens = tokens;
    this.readsCallIds = source.includes("tool_call_id") || !this.#isSameForCallIds();
  }

  /** A template that does not name the field may still print whole messages. */
  #isSameForCallIds(): boolean {
    const [one, two] = ["call00001", "call00002"].map((id) => {
      try {
        const message = { role: "tool", tool_call_id: id, content: "?" };
        return this.renderAfterAnchor([message], null).text;
      } catch {
        // It refuses tool results: nothing to share.
        return id;
      }
    });
    return one === two;
  }

  /** The whole conversation. Throws BAD_REQUEST when the template refuses it. */
  render(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    generationPrompt: boolean,
  ): Rendered {
    return this.#run(messages, tools, generationPrompt, () => []);
  }

  /**
   * The conversation after a stand-in for everything before: a user turn and an assistant turn whose
   * content is the anchor mark. What a held prefix is followed by is what stands behind the anchor.
   */
  renderAfterAnchor(messages: readonly Message[], tools: ToolDefinitions | null): Rendered {
    return this.#run(messages, tools, true, ({ anchor }) => [
      { role: "user", content: "?" },
      messages[0]?.role === "tool"
        ? {
            role: "assistant",
            content: anchor,
            tool_calls: [
              { id: "anchor000", type: "function", function: { name: anchor, arguments: {} } },
            ],
          }
        : { role: "assistant", content: anchor },
    ]);
  }

  #run(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    generationPrompt: boolean,
    before: (marks: Marks) => Record<string, unknown>[],
  ): Rendered {
    try {
      const marks = chooseMarks(
        JSON.stringify(messages) + (tools ? JSON.stringify(tools.value) : ""),
      );
      const values = new TemplateValues(this.#control, marks);
      const text = this.#template.render({
        ...this.#tokens,
        messages: [...before(marks), ...messages.map((message) => values.message(message))],
        tools: tools === null ? null : values.lossless(tools.value),
        add_generation_prompt: generationPrompt,
      });
      return { text: resolveNumbers(text, marks), marks };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new AppError("BAD_REQUEST", {
        userMessage: `The model's chat template refuses these messages: ${why}`,
        cause: error,
      });
    }
  }
}
