import type { Message } from "@liverl/contract/trajectory";
import type {
  Family,
  ParsedTurn,
  TurnParser,
  TurnStart,
  TurnVocabulary,
} from "#families/family.ts";
import type { ByteLevelDecoder } from "#renderer/byte-level.ts";
import type { ChatTemplate, Rendered } from "#renderer/chat-template.ts";
import { idsCache } from "#renderer/ids-cache.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";

export interface RendererParts {
  template: ChatTemplate;
  encoder: TextEncoder;
  decoder: ByteLevelDecoder;
  /** The control token that closes a turn in this template. */
  close: { id: number; text: string };
  /** Sampling ends at any of these. */
  stopIds: readonly number[];
  /** Of the tokenizer, what reading turns needs. */
  vocabulary: TurnVocabulary;
  family: Family;
  tokenizerSha256: string;
  chatTemplateSha256: string;
}

/** What a turn is read by. */
export type TurnGiven = Omit<TurnStart, "vocabulary">;

const CACHED_RENDERS = 4096;
const LONGEST_CACHED_KEY = 65_536;

/** Template, tokenizer and tool grammar of one model folder. */
export class Renderer {
  readonly #parts: RendererParts;
  readonly #cache = idsCache(CACHED_RENDERS);

  constructor(parts: RendererParts) {
    this.#parts = parts;
  }

  get stopIds(): readonly number[] {
    return this.#parts.stopIds;
  }

  get closeId(): number {
    return this.#parts.close.id;
  }

  /** As `proxy_trajectory.json` names the model, without its name. */
  get identity() {
    const { family, tokenizerSha256, chatTemplateSha256 } = this.#parts;
    return { family: family.id, tokenizerSha256, chatTemplateSha256 };
  }

  /** Ids of a conversation from its start, with the generation prompt. */
  renderRoot(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
  ): Promise<readonly number[]> {
    return this.#cached(["root", this.#keyOf(messages), tools?.text], () => {
      const { text, marks } = this.#parts.template.render(messages, tools, true);
      return this.#parts.encoder.encode(text, marks.breaker);
    });
  }

  /**
   * Ids that follow a held assistant turn: the rest of its close, the new messages and the generation prompt.
   * `closed`: the held turn ends in the close token; otherwise the token is put in front.
   */
  renderSuffix(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    closed: boolean,
  ): Promise<readonly number[]> {
    return this.#cached(["suffix", closed, this.#keyOf(messages), tools?.text], () => {
      const { text, marks } = this.suffixText(messages, tools);
      return this.#parts.encoder.encode(
        closed ? text.slice(this.#parts.close.text.length) : text,
        marks.breaker,
      );
    });
  }

  /** What the template writes after a turn's content, from its close token on. */
  suffixText(messages: readonly Message[], tools: ToolDefinitions | null): Rendered {
    const { text, marks } = this.#parts.template.renderAfterAnchor(messages, tools);
    const close = text.indexOf(this.#parts.close.text, text.lastIndexOf(marks.anchor));
    if (close < 0) throw new Error("the template does not close an assistant turn");
    return { text: text.slice(close), marks };
  }

  /** Starts reading a turn that follows `promptIds`. Without tools nothing is read as a call. */
  startTurn(given: TurnGiven): TurnParser {
    const { family, vocabulary } = this.#parts;
    return family.start({ ...given, vocabulary });
  }

  /** What a whole turn says. */
  readTurn(ids: readonly number[], given: TurnGiven): ParsedTurn {
    const parser = this.startTurn(given);
    parser.push(ids);
    return parser.end();
  }

  /** All text of a growing turn, as stop strings are looked for in it: a character never before all of its bytes are there. */
  streamText(): { push(id: number): string; end(): string } {
    const stream = this.#parts.decoder.stream();
    return {
      push: (id) => (this.#parts.vocabulary.hiddenIds.has(id) ? "" : stream.push(id)),
      end: () => stream.end(),
    };
  }

  /** Every id as text, control tokens too. */
  decode(ids: readonly number[]): string {
    return this.#parts.decoder.decode(ids);
  }

  /** A part of a character may be all that a token is. */
  tokenBytes(id: number): Uint8Array {
    return this.#parts.decoder.bytesOf(id);
  }

  /** What rendering reads of the messages: tools answer alike many times, each time under another id. */
  #keyOf(messages: readonly Message[]): readonly Message[] {
    if (this.#parts.template.readsCallIds) return messages;
    return messages.map((message) => ({ ...message, tool_call_id: undefined }));
  }

  async #cached(
    keyed: unknown,
    render: () => Promise<readonly number[]>,
  ): Promise<readonly number[]> {
    const key = JSON.stringify(keyed);
    if (key.length > LONGEST_CACHED_KEY) return render();
    const held = this.#cache.get(key);
    if (held) return held;
    const ids = await render();
    this.#cache.set(key, ids);
    return ids;
  }
}
