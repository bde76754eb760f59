import { AppError } from "@liverl/contract/app-error";
import type { Message } from "@liverl/contract/trajectory";
import type {
  Family,
  ParsedTurn,
  TurnParser,
  TurnStart,
  TurnVocabulary,
} from "#families/family.ts";
import { plain, sliceText } from "#jinja/given-text.ts";
import type { ByteLevelDecoder } from "#renderer/byte-level.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import { foldSystem } from "#renderer/fold-system.ts";
import { idsCache } from "#renderer/ids-cache.ts";
import type { Proof } from "#renderer/prove-suffixes.ts";
import type { SuffixWriter } from "#renderer/suffix-writer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";
import type { ThinkingPolicy } from "#renderer/thinking-policy.ts";

/** How a turn may end, as ids. */
export interface TurnEndIds {
  /** Sampling ends at any of these. */
  stops: readonly number[];
  /** What closes a turn in this template; null where nothing does but the opening of the next one. */
  close: number | null;
  /** A turn that was sampled to one of these is closed. */
  closes: ReadonlySet<number>;
  /** A turn that was sampled to one of these has opened the next one. */
  opensNext: ReadonlySet<number>;
}

export interface RendererParts {
  template: ChatTemplate;
  encoder: TextEncoder;
  decoder: ByteLevelDecoder;
  turnEnd: TurnEndIds;
  /** Null in text mode, where every call is rendered from its start. */
  suffixes: SuffixWriter | null;
  /** Stand for all tool definitions behind a held turn, where the template prints none there. */
  suffixTools: ToolDefinitions | null;
  proof: Proof;
  thinking: ThinkingPolicy;
  /** Of the tokenizer, what reading turns needs. */
  vocabulary: TurnVocabulary;
  family: Family;
  tokenizerSha256: string;
  chatTemplateSha256: string;
}

/** What a turn is read by. */
export type TurnGiven = Omit<TurnStart, "vocabulary">;

/** The assistant turn that a call goes on from, with the path that it ends. */
export interface HeldTurn {
  /** Messages of the sampled turns on the path, in order: the last is the one to go on from. */
  sampled: readonly Message[];
  /** The last id of the path. */
  lastId: number | undefined;
}

/** Ids to append to a held path; or why there are none and the conversation has to be rendered from its start. */
export type Bridge =
  | { ids: readonly number[]; fork: null }
  | { ids: null; fork: "thinking-stripped" | "seam-unsafe" | "no-bridge" };

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
    return this.#parts.turnEnd.stops;
  }

  /** What a finished turn ends in, where one token closes all; else the first of the tokens that end one. */
  get closeId(): number {
    return this.#parts.turnEnd.close ?? this.stopIds[0] ?? -1;
  }

  /** What the start-up check saw of the template. */
  get proof(): Proof {
    return this.#parts.proof;
  }

  /** As `proxy_trajectory.json` names the model, without its name. In text mode the family is `text`. */
  get identity() {
    const { family, suffixes, tokenizerSha256, chatTemplateSha256 } = this.#parts;
    return { family: suffixes ? family.id : "text", tokenizerSha256, chatTemplateSha256 };
  }

  /** Ids of a conversation from its start, with the generation prompt. Throws BAD_REQUEST when the template refuses it. */
  renderRoot(
    messages: readonly Message[],
    tools: ToolDefinitions | null,
  ): Promise<readonly number[]> {
    const { template, encoder, thinking } = this.#parts;
    const day = template.readsDate ? new Date().toDateString() : "";
    return this.#cached(["root", day, this.#keyOf(messages), tools?.text], () =>
      encoder.encode(template.render(thinking.prepare(this.#folded(messages, true)), tools, true)),
    );
  }

  /** How many tokens the prompt of a call with these messages has, rendered from its start. */
  async countRoot(messages: readonly Message[], tools: ToolDefinitions | null): Promise<number> {
    return (await this.renderRoot(messages, tools)).length;
  }

  /**
   * What follows a held assistant turn: the rest of its close, the new messages and the generation prompt. A turn that
   * was cut before its end is closed here, so that its close is given and not sampled.
   */
  async renderSuffix(
    held: HeldTurn,
    messages: readonly Message[],
    tools: ToolDefinitions | null,
  ): Promise<Bridge> {
    const { suffixes, suffixTools, thinking, turnEnd } = this.#parts;
    const last = held.sampled.at(-1);
    if (!suffixes || !last) return { ids: null, fork: "no-bridge" };
    if (thinking.isRootDue(held.sampled, messages)) return { ids: null, fork: "thinking-stripped" };
    const { lastId } = held;
    const ended = lastId !== undefined && turnEnd.closes.has(lastId);
    const opened = lastId !== undefined && turnEnd.opensNext.has(lastId) ? lastId : null;
    const key = [ended, opened, this.#keyOf([last])[0]?.tool_calls, this.#keyOf(messages)];
    const used = tools === null ? null : (suffixTools ?? tools);
    const ids = await this.#cached(["suffix", ...key, used?.text], async () => {
      const suffix = writeOrNull(suffixes, last, this.#folded(messages, false), used);
      if (!suffix) return NO_BRIDGE;
      const { text, lead } = suffix;
      if (opened !== null && opened !== lead.id) return SEAM_UNSAFE;
      const start = ended || opened !== null ? lead.text.length : 0;
      return this.#parts.encoder.encode(sliceText(text, start, plain(text).length));
    });
    if (ids === NO_BRIDGE) return { ids: null, fork: "no-bridge" };
    return ids === SEAM_UNSAFE ? { ids: null, fork: "seam-unsafe" } : { ids, fork: null };
  }

  #folded(messages: readonly Message[], first: boolean): readonly Message[] {
    return this.#parts.proof.takesLateSystem ? messages : foldSystem(messages, first);
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
    return messages.map(withoutCallIds);
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

/** Stand in the cache for what can not be appended. */
const NO_BRIDGE: readonly number[] = [];
const SEAM_UNSAFE: readonly number[] = [];

/** A template may refuse a suffix whose whole it takes: the whole decides. */
function writeOrNull(
  suffixes: SuffixWriter,
  held: Message,
  messages: readonly Message[],
  tools: ToolDefinitions | null,
) {
  try {
    return suffixes.write(held, messages, tools);
  } catch (error) {
    if (error instanceof AppError && error.code === "BAD_REQUEST") return null;
    throw error;
  }
}

function withoutCallIds(message: Message): Message {
  if (!Array.isArray(message.tool_calls)) return { ...message, tool_call_id: undefined };
  const calls: unknown[] = message.tool_calls;
  return {
    ...message,
    tool_calls: calls.map((call) =>
      typeof call === "object" && call !== null ? { ...call, id: undefined } : call,
    ),
  };
}
