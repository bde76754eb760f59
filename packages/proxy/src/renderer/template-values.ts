import type { Message } from "@liverl/contract/trajectory";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import type { Marks } from "#renderer/marks.ts";

/** Tool definitions with the text that the client sent, so that the template sees its numbers and key order. */
export interface ToolDefinitions {
  /** The source text, which identifies them. */
  text: string;
  value: LosslessValue;
}

const INTEGER_LIKE = /^(?:0|[1-9]\d*)$/;

/** Prepares what a template sees: control texts broken, numbers and key order kept. */
export class TemplateValues {
  readonly #control: ControlTokens;
  readonly #marks: Marks;

  constructor(control: ControlTokens, marks: Marks) {
    this.#control = control;
    this.#marks = marks;
  }

  message(message: Message): Record<string, unknown> {
    const prepared = this.#loose(message) as Record<string, unknown>;
    if (prepared.content === null || prepared.content === undefined) prepared.content = "";
    if (Array.isArray(message.tool_calls))
      prepared.tool_calls = message.tool_calls.map((call) => this.#toolCall(call));
    return prepared;
  }

  /** Templates print arguments as an object, the protocol carries them as text. Text that is no JSON stays text. */
  #toolCall(call: unknown): unknown {
    const prepared = this.#loose(call) as { function?: { arguments?: unknown } };
    const given = (call as { function?: { arguments?: unknown } } | null)?.function?.arguments;
    if (prepared.function === undefined || typeof given !== "string") return prepared;
    return {
      ...prepared,
      function: { ...prepared.function, arguments: this.#parsedArguments(given) },
    };
  }

  #parsedArguments(text: string): unknown {
    try {
      return this.lossless(parseLossless(text.trim() === "" ? "{}" : text));
    } catch (error) {
      if (error instanceof SyntaxError) return this.#text(text);
      throw error;
    }
  }

  lossless(value: LosslessValue): unknown {
    switch (value.kind) {
      case "object":
        return Object.fromEntries(
          value.entries.map(([key, inner]) => [this.#key(key), this.lossless(inner)]),
        );
      case "array":
        return value.elements.map((element) => this.lossless(element));
      case "string":
        // Definitions and arguments are laid out by the template, which may build a control token around a name.
        return this.#control.breakInside(value.value, this.#marks.breaker);
      case "number":
        return String(Number(value.text)) === value.text
          ? Number(value.text)
          : this.#marks.open + value.text + this.#marks.close;
      case "literal":
        return value.value;
    }
  }

  #loose(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (Array.isArray(value)) return value.map((element) => this.#loose(element));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [this.#key(key), this.#loose(inner)]),
      );
    }
    return value;
  }

  #text(text: string): string {
    return this.#control.protect(text, this.#marks.breaker);
  }

  #key(key: string): string {
    // An engine-like object would move "1" before "b"; a breaker in front makes it an ordinary key.
    return INTEGER_LIKE.test(key)
      ? this.#marks.breaker + key
      : this.#control.breakInside(key, this.#marks.breaker);
  }
}
