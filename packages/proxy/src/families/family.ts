import type { AddedToken } from "#renderer/model-folder.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";

export interface ToolCallText {
  name: string;
  /**
   * JSON text: as the model wrote it where its grammar is JSON, else built from its parameters by the tool's schema.
   * What the model wrote as arguments and can not be parsed stays as it is.
   */
  arguments: string;
}

/** `malformed`: a part breaks the grammar; what is no call stays in `content`. `unclosed`: the turn ended inside a block. */
export type TurnStatus = "ok" | "malformed" | "unclosed";

export interface ParsedTurn {
  /** What the model thought, without its marks and trimmed; null when it did not. */
  reasoning: string | null;
  /**
   * Everything that is neither reasoning nor a call, raw where it breaks the grammar. Line breaks after reasoning are
   * dropped, and with calls the white space at its end, too.
   */
  content: string;
  /** In the order of the text. */
  toolCalls: ToolCallText[];
  status: TurnStatus;
}

/** Text that is certain by now; never any of a tool call. */
export interface TurnDelta {
  kind: "reasoning" | "content";
  text: string;
}

/**
 * Reads one assistant turn as its ids come. Any split of the ids into pushes gives the same turn, and the deltas of a
 * kind, joined, are a beginning of that kind's final text: what is missing was held back until `end`.
 */
export interface TurnParser {
  push(ids: readonly number[]): TurnDelta[];
  /** Once, after the last id. `isEnded`: the model ended the turn itself, so what lacks its closing mark was not cut. */
  end(isEnded?: boolean): ParsedTurn;
}

/** What reading turns needs of a tokenizer. */
export interface TurnVocabulary {
  bytesOf(id: number): Uint8Array;
  /** Ids of added tokens by their text. */
  addedIds: ReadonlyMap<string, number>;
  /** Ids that are never text: end of turn, end of text, and special tokens without a meaning in the grammar. */
  hiddenIds: ReadonlySet<number>;
}

export interface TurnStart {
  /** Null: nothing is read as a call. */
  tools: ToolDefinitions | null;
  /** All ids before the turn: a generation prompt may open the reasoning or a channel. */
  promptIds: readonly number[];
  vocabulary: TurnVocabulary;
  /** The turn is over after so many characters (UTF-16 units) of visible text: where a stop string cut it. */
  visibleLength?: number | undefined;
}

/** What a model folder shows of its grammar. */
export interface FamilyEvidence {
  template: string;
  addedTokens: readonly AddedToken[];
}

/** How an assistant turn ends, as texts of control tokens. */
export interface TurnEnd {
  /** Sampling ends at any of these, and at the folder's own end-of-text tokens. */
  stops: readonly string[];
  /**
   * What a template writes after an earlier assistant turn; null where nothing closes it but the token that opens the
   * next one. It is also what is put behind a turn that was cut by length.
   */
  close: string | null;
  /** Stops that count as closed although the template writes another token there: the sampled one stays. */
  closesToo: readonly string[];
  /** Stops that the next turn begins with: what follows such a turn must not repeat the token. */
  opensNext: readonly string[];
}

/** Tool-call and reasoning grammar of a family of models. */
export interface Family {
  id: string;
  matches(evidence: FamilyEvidence): boolean;
  /** Texts that carry the grammar: a token that contains one is never hidden. */
  marks: readonly string[];
  turnEnd: TurnEnd;
  start(options: TurnStart): TurnParser;
}
