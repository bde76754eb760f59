import { isDeepStrictEqual } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type { LossyTurn, Message, TemplateValues } from "@liverl/contract/trajectory";
import { LRUCache } from "lru-cache";
import type {
  Family,
  ParsedTurn,
  TurnParser,
  TurnStart,
  TurnVocabulary,
} from "#families/family.ts";
import { plain, sliceText, type Text } from "#jinja/given-text.ts";
import type { ByteLevelDecoder } from "#renderer/byte-level.ts";
import type { ChatTemplate } from "#renderer/chat-template.ts";
import type { ControlTokens } from "#renderer/control-tokens.ts";
import { foldSystem } from "#renderer/fold-system.ts";
import { idsCache } from "#renderer/ids-cache.ts";
import { locateTurns } from "#renderer/locate-turns.ts";
import type { Proof } from "#renderer/prove-suffixes.ts";
import type { Suffix, SuffixWriter } from "#renderer/suffix-writer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import type { TextEncoder } from "#renderer/text-encoder.ts";
import type { ThinkingPolicy } from "#renderer/thinking-policy.ts";
import { contentText } from "#tree/canonical-message.ts";

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
  control: ControlTokens;
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
  /** What the template's variables are set to. */
  templateValues: TemplateValues | undefined;
  /** The same folder with its template's variables set otherwise. Throws with the reason where that cannot be served exactly. */
  withValues(values: TemplateValues): Promise<Renderer>;
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

/** Renderers for other values of the template's variables: those that a pool's clients ask for. */
const KEPT_VARIANTS = 16;
const CACHED_RENDERS = 4096;
const LONGEST_CACHED_KEY = 65_536;

/** Template, tokenizer and tool grammar of one model folder. */
export class Renderer {
  readonly #parts: RendererParts;
  readonly #cache = idsCache(CACHED_RENDERS);
  readonly #longestToken: number;
  readonly #variants = new LRUCache<string, Promise<Renderer>>({ max: KEPT_VARIANTS });

  constructor(parts: RendererParts) {
    this.#parts = parts;
    this.#longestToken = parts.decoder.longest;
  }

  get stopIds(): readonly number[] {
    return this.#parts.turnEnd.stops;
  }

  /** What a finished turn ends in, where one token closes all; else the first of the tokens that end one. */
  get closeId(): number {
    return this.#parts.turnEnd.close ?? this.stopIds[0] ?? -1;
  }

  /** Whether the template reads a variable of this name that is no part of the conversation. */
  readsVariable(name: string): boolean {
    return this.#parts.template.readsVariable(name);
  }

  /** The renderer whose template is told these values. Throws BAD_REQUEST where it cannot be served exactly with them. */
  async withValues(values: TemplateValues | undefined): Promise<Renderer> {
    const { templateValues, withValues } = this.#parts;
    if (values === undefined || isDeepStrictEqual(values, templateValues)) return this;
    const key = JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
    const held = this.#variants.get(key);
    if (held) return held;
    const loading = withValues(values).catch((error: unknown) => {
      const why = error instanceof AppError ? error.userMessage : String(error);
      const text = `The model's chat template cannot be used with ${JSON.stringify(values)}: ${why}`;
      throw new AppError("BAD_REQUEST", { userMessage: text, cause: error });
    });
    this.#variants.set(key, loading);
    return loading;
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
    const { template, encoder } = this.#parts;
    const day = template.readsDate ? new Date().toDateString() : "";
    return this.#cached(["root", day, this.#keyOf(messages), tools?.text], () =>
      encoder.encode(template.render(this.#prepared(messages), tools, true)),
    );
  }

  /** A prompt with these messages has no fewer tokens than this: each is one, and no token holds more than the longest. */
  leastTokens(messages: readonly Message[]): number {
    const given = messages.filter(({ role }) => role !== "assistant").map(contentText);
    const characters = given.reduce((sum, text) => sum + text.length, 0);
    return Math.max(messages.length, Math.ceil(characters / this.#longestToken));
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
    const { suffixes, thinking } = this.#parts;
    const last = held.sampled.at(-1);
    if (!suffixes || !last) return { ids: null, fork: "no-bridge" };
    if (thinking.isRootDue(held.sampled, messages)) return { ids: null, fork: "thinking-stripped" };
    const { ended, opened } = this.#endOf(held);
    const key = [ended, opened, this.#keyOf([last])[0]?.tool_calls, this.#keyOf(messages)];
    const used = this.#suffixTools(tools);
    const ids = await this.#cached(["suffix", ...key, used?.text], async () => {
      const suffix = writeOrNull(suffixes, last, this.#folded(messages, false), used);
      if (!suffix) return NO_BRIDGE;
      if (opened !== null && opened !== suffix.lead.id) return SEAM_UNSAFE;
      return this.#parts.encoder.encode(this.#behind(held, suffix));
    });
    if (ids === NO_BRIDGE) return { ids: null, fork: "no-bridge" };
    return ids === SEAM_UNSAFE ? { ids: null, fork: "seam-unsafe" } : { ids, fork: null };
  }

  /**
   * Which of `ids`, rendered from these messages behind `held` or as a root, each assistant turn among the messages
   * takes, in order; null where it can not be told.
   */
  async locateTurns(
    held: HeldTurn | null,
    messages: readonly Message[],
    tools: ToolDefinitions | null,
    ids: readonly number[],
  ): Promise<LossyTurn[]> {
    const { suffixes, template, encoder, control, turnEnd } = this.#parts;
    const last = held?.sampled.at(-1);
    const prepared = held ? this.#folded(messages, false) : this.#prepared(messages);
    const used = this.#suffixTools(tools);
    const head = (before: readonly Message[]): Text | null => {
      if (!suffixes) return null;
      if (!held || !last) return renderOrNull(template, before, tools);
      const suffix = writeOrNull(suffixes, last, before, used);
      return suffix && this.#behind(held, suffix);
    };
    const text = head(prepared);
    if (!suffixes || text === null)
      return messages.flatMap(({ role }) => (role === "assistant" ? [null] : []));
    const behind = (turn: Message, after: readonly Message[]) =>
      writeOrNull(suffixes, turn, after, used);
    return locateTurns(
      { messages: prepared, text, ids, head, behind },
      {
        control,
        encodePlain: (piece) => encoder.encodePlain(piece),
        isEnd: (id) => turnEnd.closes.has(id) || turnEnd.opensNext.has(id),
      },
    );
  }

  /** What a held path lacks of a suffix: a turn that was sampled to its end has the close, or the next opening, already. */
  #behind(held: HeldTurn, { text, lead }: Suffix): Text {
    const { ended, opened } = this.#endOf(held);
    const start = ended || opened !== null ? lead.text.length : 0;
    return sliceText(text, start, plain(text).length);
  }

  #endOf({ lastId }: HeldTurn): { ended: boolean; opened: number | null } {
    const { closes, opensNext } = this.#parts.turnEnd;
    return {
      ended: lastId !== undefined && closes.has(lastId),
      opened: lastId !== undefined && opensNext.has(lastId) ? lastId : null,
    };
  }

  #suffixTools(tools: ToolDefinitions | null): ToolDefinitions | null {
    return tools === null ? null : (this.#parts.suffixTools ?? tools);
  }

  /** As a root is rendered from them. */
  #prepared(messages: readonly Message[]): readonly Message[] {
    return this.#parts.thinking.prepare(this.#folded(messages, true));
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
    const last = ids.at(-1);
    const isEnded = last !== undefined && this.stopIds.includes(last);
    return parser.end(isEnded && given.visibleLength === undefined);
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

function renderOrNull(
  template: ChatTemplate,
  messages: readonly Message[],
  tools: ToolDefinitions | null,
): Text | null {
  try {
    return template.render(messages, tools, true);
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
