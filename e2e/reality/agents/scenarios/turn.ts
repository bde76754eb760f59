import { control, type Piece } from "#reality/agents/engine/sample-text.ts";

/** What goes wrong once while a turn is sampled. */
export type Trouble =
  /** Silence before the first token. */
  | { kind: "slow"; delayMs: number }
  /** A wait before each few tokens. */
  | { kind: "trickle"; delayMs: number }
  /** The engine answers with this status; asked again it samples. */
  | { kind: "refuse"; status: number }
  /** The engine's stream breaks off in the middle; asked again it samples anew. */
  | { kind: "break" }
  /** The engine ends the request in the middle for new weights; it is resumed under the next version. */
  | { kind: "sync" }
  /** The turn ends here as if its budget of tokens were used up: without the close token. */
  | { kind: "length" };

export interface Turn {
  pieces: readonly Piece[];
  trouble?: Trouble;
  /** The script ends here: the client must not ask again. */
  isLast?: boolean;
}

/** Text with its edges as given: clients and templates must not touch them. */
export const say = (...pieces: (Piece | readonly Piece[])[]): Turn => ({ pieces: pieces.flat() });

export const think = (text: string): Piece[] => [
  control("<think>"),
  `\n${text}\n`,
  control("</think>"),
  "\n\n",
];

/** A tool call in Hermes' grammar with the arguments' text as the model writes it. */
export const call = (name: string, argumentsText: string): Piece[] => [
  control("<tool_call>"),
  `\n{"name": ${JSON.stringify(name)}, "arguments": ${argumentsText}}\n`,
  control("</tool_call>"),
];
