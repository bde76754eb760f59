import type { TrainedPage, TrainerNumber } from "@liverl/contract/trained-view";
import type { TokenPage, TurnOutline } from "@liverl/contract/turn-view";

/** One token of the segment with all that is known of it. */
export interface TokenRow {
  /** Place in the segment, from 0. */
  position: number;
  nodeId: number;
  index: number;
  turn: number | null;
  role: string;
  id: number;
  text: string;
  /** 1 for a token that this segment trains. */
  mask: 0 | 1;
  logprob: number | null;
  version: number | null;
  /** It stands in the model's place by the client's text. */
  isLossy: boolean;
  /** Null for a token that no update took, or whose update left no record. */
  trained: TrainedToken | null;
}

/** What the trainer computed of a token. Log-probs and entropy in nats; null for what it did not compute. */
export interface TrainedToken {
  logprob: number;
  /** |trainer − rollout log-prob|. */
  mismatch: number | null;
  entropy: number;
  advantage: number;
  ratio: number | null;
  isClipped: boolean;
  value: number | null;
}

/** Names a token in the URL. */
export const tokenKey = (nodeId: number, index: number) => `${nodeId}.${index}`;

/** How many tokens the segment has. */
export function countTokens(turns: readonly TurnOutline[]): number {
  const last = turns.at(-1);
  return last ? last.at + last.tokens : 0;
}

/** How many of them it trains. */
export function countTrained(turns: readonly TurnOutline[]): number {
  return turns.reduce(
    (sum, turn) =>
      sum + (turn.kind === "sampled" && turn.trained ? turn.tokens : (turn.lossy?.trained ?? 0)),
    0,
  );
}

/** Node and index of a position; null outside of the segment. */
export function tokenAt(
  turns: readonly TurnOutline[],
  position: number,
): { turn: TurnOutline; index: number } | null {
  let low = 0;
  let high = turns.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const turn = turns[middle];
    if (!turn) return null;
    if (position < turn.at) high = middle - 1;
    else if (position >= turn.at + turn.tokens) low = middle + 1;
    else return { turn, index: position - turn.at };
  }
  return null;
}

/** Position of a token by its key; null where the segment has no such token. */
export function positionOf(turns: readonly TurnOutline[], key: string | null): number | null {
  const [nodeId, index] = (key ?? "").split(".").map(Number);
  const turn = turns.find((one) => one.nodeId === nodeId);
  if (!turn || index === undefined || !(index >= 0 && index < turn.tokens)) return null;
  return turn.at + index;
}

/** A row of the page that holds the position; null where the page does not. `trained`: the same range, once it is read. */
export function prepareToken(
  turns: readonly TurnOutline[],
  page: TokenPage,
  position: number,
  trained: TrainedPage | null = null,
): TokenRow | null {
  const found = tokenAt(turns, position);
  const at = position - page.from;
  const id = page.ids[at];
  if (!found || id === undefined) return null;
  const { turn, index } = found;
  const logprob = page.logprobs[at] ?? null;
  return {
    ...{ position, index, id, nodeId: turn.nodeId, turn: turn.turn },
    role: page.roles[at] ?? turn.role,
    text: page.text[at] ?? "",
    mask: page.mask[at] ?? 0,
    logprob,
    version: page.versions[at] ?? null,
    isLossy: page.lossy[at] ?? false,
    trained: trained && prepareTrained(trained, position - trained.from, logprob),
  };
}

function prepareTrained(
  page: TrainedPage,
  at: number,
  sampled: number | null,
): TrainedToken | null {
  const read = (values: readonly TrainerNumber[] | null) => {
    const value = values?.[at] ?? null;
    return value === null ? null : Number(value);
  };
  const logprob = read(page.trainerLogprobs);
  if (logprob === null) return null;
  return {
    logprob,
    mismatch: sampled === null ? null : Math.abs(logprob - sampled),
    entropy: read(page.entropies) ?? Number.NaN,
    advantage: read(page.advantages) ?? Number.NaN,
    ratio: read(page.ratios),
    isClipped: page.clipped[at] === true,
    value: read(page.values),
  };
}

/** Text of a token with what can not be seen made visible. */
export function showToken(text: string): string {
  return text.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll(" ", "␣");
}

/** Bytes of a token in hex, as UTF-8; `\xNN` stands for the byte NN itself. */
export function tokenBytes(text: string): string {
  const bytes: number[] = [];
  for (const part of text.split(/(\\x[0-9a-fA-F]{2})/)) {
    if (/^\\x[0-9a-fA-F]{2}$/.test(part)) bytes.push(Number.parseInt(part.slice(2), 16));
    else bytes.push(...new TextEncoder().encode(part));
  }
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
