import type { TurnView } from "@liverl/contract/views";
import { findLossy } from "#trajectories/find-lossy.ts";

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
}

/** Names a token in the URL. */
export const tokenKey = (nodeId: number, index: number) => `${nodeId}.${index}`;

export function prepareTokens(turns: readonly TurnView[]): TokenRow[] {
  const rows: TokenRow[] = [];
  for (const turn of turns) {
    const strip = turn.kind === "sampled" ? turn.tokens : null;
    for (const [index, id] of turn.tokens.ids.entries()) {
      const lossy = findLossy(turn, index);
      const isTrained = turn.kind === "sampled" ? turn.trained : lossy?.isTrained;
      rows.push({
        position: rows.length,
        nodeId: turn.nodeId,
        index,
        turn: turn.turn,
        role: turn.role,
        id,
        text: turn.tokens.text[index] ?? "",
        mask: isTrained ? 1 : 0,
        logprob: strip?.logprobs?.[index] ?? lossy?.logprob ?? null,
        version: strip?.versions?.[index] ?? lossy?.turn.version ?? null,
        isLossy: lossy !== null,
      });
    }
  }
  return rows;
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
