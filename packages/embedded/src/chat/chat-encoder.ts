import { Template } from "@huggingface/jinja";
import { Tokenizer } from "tokenizers";

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls?: {
    type: "function";
    function: { name: string; arguments: Record<string, unknown> };
  }[];
}

// Private-use characters: they mark where given content goes, and never occur in it.
const MARK = "\uE000";
const KNOWN_PIECES = 4096;

/**
 * Chat to token ids as the proxy does it: the template's scaffold with added tokens, given content without any,
 * so that text can never become a control token.
 */
export class ChatEncoder {
  readonly #template: Template;
  readonly #scaffold: Tokenizer;
  readonly #content: Tokenizer;
  /** Pieces come back again and again: the native call costs more than the look-up. */
  readonly #known = new Map<string, number[]>();

  constructor({ tokenizerText, chatTemplate }: { tokenizerText: string; chatTemplate: string }) {
    this.#template = new Template(chatTemplate);
    this.#scaffold = Tokenizer.fromString(tokenizerText);
    this.#content = Tokenizer.fromString(
      JSON.stringify({ ...JSON.parse(tokenizerText), added_tokens: [] }),
    );
  }

  /** Ids of each part, in order: given content alternates with scaffold. */
  async encode(
    messages: ChatMessage[],
    tools: readonly unknown[],
    addGenerationPrompt: boolean,
  ): Promise<number[]> {
    const contents: string[] = [];
    const marked = messages.map((message) => {
      if (message.role === "assistant") return message;
      contents.push(message.content);
      return { ...message, content: MARK };
    });
    const text = this.#template.render({
      messages: marked,
      tools: [...tools],
      add_generation_prompt: addGenerationPrompt,
    });
    const ids: number[] = [];
    for (const [i, piece] of text.split(MARK).entries()) {
      ids.push(...(await this.encodeScaffold(piece)));
      const content = contents[i];
      if (content !== undefined) ids.push(...(await this.encodeContent(content)));
    }
    return ids;
  }

  async encodeScaffold(text: string): Promise<number[]> {
    return this.#remember(this.#scaffold, "s", text);
  }

  async encodeContent(text: string): Promise<number[]> {
    return this.#remember(this.#content, "c", text);
  }

  /** What the template writes after an assistant turn for a tool's answer and the next turn of the assistant. */
  async encodeToolAnswer(text: string): Promise<number[]> {
    return [
      ...(await this.encodeScaffold("\n<|im_start|>tool\n")),
      ...(await this.encodeContent(text)),
      ...(await this.encodeScaffold("<|im_end|>\n<|im_start|>assistant\n")),
    ];
  }

  /** What the assistant samples for a call, the end of its turn included. */
  async encodeCall(name: string, args: Record<string, unknown>): Promise<number[]> {
    return this.encodeScaffold(`${toolCallText(name, args)}<|im_end|>`);
  }

  async decode(ids: number[]): Promise<string> {
    return this.#scaffold.decode(ids, false);
  }

  async #remember(tokenizer: Tokenizer, kind: string, text: string): Promise<number[]> {
    if (text === "") return [];
    const key = kind + text;
    let ids = this.#known.get(key);
    if (!ids) {
      ids = (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
      if (this.#known.size < KNOWN_PIECES) this.#known.set(key, ids);
    }
    return ids;
  }
}

/** A tool call as the template writes it: Python's JSON spacing. */
function toolCallText(name: string, args: Record<string, unknown>): string {
  const pairs = Object.entries(args).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": {${pairs.join(", ")}}}\n</tool_call>`;
}
