import { AppError } from "@liverl/contract/app-error";
import type { Message } from "@liverl/contract/trajectory";
import type { Text } from "#jinja/given-text.ts";
import { plain } from "#jinja/given-text.ts";
import { JinjaError } from "#jinja/jinja-error.ts";
import { JinjaTemplate } from "#jinja/jinja-template.ts";
import type { Value } from "#jinja/python-values.ts";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import { givenLossless } from "#renderer/given-values.ts";
import { type MessageForm, messageValue, type ToolDefinitions } from "#renderer/template-values.ts";

/** What a template may read besides the conversation: special tokens by their names, and switches of its own. */
type TemplateSettings = Readonly<Record<string, string | number | boolean>>;

/** Variables that the conversation fills. */
const RESERVED = new Set([
  ...["messages", "tools", "documents", "add_generation_prompt", "continue_final_message"],
  ...["message", "tool", "content", "role", "loop", "namespace", "raise_exception", "strftime_now"],
]);

/** A compiled chat template: conversations to text, the client's part of it marked. */
export class ChatTemplate {
  readonly #template: JinjaTemplate;
  readonly #settings: TemplateSettings;
  /** Whether what is rendered depends on ids of tool calls, which no two calls have in common. */
  readonly readsCallIds: boolean;
  /** Whether what is rendered depends on the day. */
  readonly readsDate: boolean;
  readonly #control: ControlTokens;
  readonly #source: string;
  readonly #form: MessageForm;
  #tools: { of: ToolDefinitions; value: Value } | null = null;

  /** Throws JinjaError for a template that can not be compiled. */
  constructor(source: string, control: ControlTokens, settings: TemplateSettings = {}) {
    this.#control = control;
    this.#source = source;
    this.#template = new JinjaTemplate(source);
    this.#settings = settings;
    this.readsDate = source.includes("strftime_now");
    const argumentsAs = this.#takes("object") || !this.#takes("text") ? "object" : "text";
    this.#form = { argumentsAs, mark: control.mark };
    this.readsCallIds =
      source.includes("tool_call_id") || source.includes(".id") || !this.#isSameForCallIds();
  }

  /** Whether the source names a variable that is neither the conversation nor a special token. */
  readsVariable(name: string): boolean {
    if (RESERVED.has(name) || name.endsWith("_token") || !/^[A-Za-z_]\w*$/.test(name)) return false;
    return new RegExp(`\\b${name}\\b`).test(this.#source);
  }

  /** A template that does not name the field may still print whole messages. */
  #isSameForCallIds(): boolean {
    const [one, two] = ["call00001", "call00002"].map(
      (id) => this.#tryRender(callAndResult(id), this.#form) ?? id,
    );
    return one === two;
  }

  /** A few templates add arguments to text and so can not take the object that most of them want. */
  #takes(argumentsAs: MessageForm["argumentsAs"]): boolean {
    const form = { argumentsAs, mark: this.#control.mark };
    return this.#tryRender(callAndResult("call00001"), form) !== null;
  }

  /** Null where the template refuses. */
  #tryRender(messages: readonly Message[], form: MessageForm): string | null {
    try {
      const values = messages.map((message) => messageValue(message, form));
      return plain(this.#run({ messages: values, tools: null, add_generation_prompt: true }));
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  #run(values: Readonly<Record<string, Value>>): Text {
    return this.#template.render({ ...this.#settings, documents: null, ...values });
  }

  /** The whole conversation. Throws BAD_REQUEST when the template refuses it. */
  render(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    generationPrompt: boolean,
  ): Text {
    try {
      return this.#run({
        messages: messages.map((message) => messageValue(message, this.#form)),
        tools: tools && this.#toolsValue(tools),
        add_generation_prompt: generationPrompt,
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new AppError("BAD_REQUEST", {
        userMessage: `The model's chat template refuses these messages: ${error.message}`,
        cause: error,
      });
    }
  }

  /** A session renders one list of tools many times. */
  #toolsValue(tools: ToolDefinitions): Value {
    if (this.#tools?.of !== tools)
      this.#tools = { of: tools, value: givenLossless(tools.value, this.#control.mark) };
    return this.#tools.value;
  }
}

/** A macro that calls itself without end is the template's refusal, too. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof JinjaError || error instanceof RangeError;

const callAndResult = (id: string): Message[] => [
  { role: "user", content: "?" },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: '{"a": "b"}' } }],
  },
  { role: "tool", tool_call_id: id, name: "f", content: "?" },
];
