import type { TurnView } from "@liverl/contract/turn-view";

/** A run of tokens of one turn, `from` included, `to` excluded. */
export interface TurnPart {
  kind: "text" | "call" | "control";
  from: number;
  to: number;
  /** The parsed call; null where what was sampled did not parse. */
  call: TurnView["toolCalls"][number] | null;
}

/** Calls of a turn that is not opened: a policy that loops samples dozens of them in one turn. */
export const CLOSED_CALLS = 8;
const CONTROL = /^<\|[^|>]*\|>\n?$/;
const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

/**
 * Splits a range of a sampled turn into plain text, tool calls and control tokens, by token.
 * No token is in two parts and none is left out; calls that name no tokens follow at the end with an empty range.
 */
export function prepareParts(turn: TurnView): TurnPart[] {
  const texts = turn.tokens.text;
  const kinds = texts.map((text): TurnPart["kind"] => (CONTROL.test(text) ? "control" : "text"));
  const blocks = callBlocks(texts);
  const parts: TurnPart[] = [];
  let at = 0;
  for (const [number, block] of blocks.entries()) {
    pushRuns(parts, kinds, at, block.from);
    parts.push({
      kind: "call",
      from: block.from,
      to: block.to,
      call: turn.toolCalls[number] ?? null,
    });
    at = block.to;
  }
  pushRuns(parts, kinds, at, texts.length);
  // What was not reached yet is told where its tokens are.
  for (const call of turn.isEnd ? turn.toolCalls.slice(blocks.length) : [])
    parts.push({ kind: "call", from: texts.length, to: texts.length, call });
  return parts;
}

/** The turn up to the last call that is shown while it is not opened; the same object where that is all of it. Pure. */
export function closeTurn(turn: TurnView): TurnView {
  if (turn.kind !== "sampled") return turn;
  const { ids, text, logprobs, versions } = turn.tokens;
  const end = callBlocks(text)[CLOSED_CALLS]?.from;
  if (end === undefined) return turn;
  return {
    ...turn,
    isEnd: false,
    tokens: {
      ids: ids.slice(0, end),
      text: text.slice(0, end),
      logprobs: logprobs?.slice(0, end) ?? null,
      versions: versions?.slice(0, end) ?? null,
    },
  };
}

function pushRuns(
  parts: TurnPart[],
  kinds: readonly TurnPart["kind"][],
  from: number,
  to: number,
): void {
  let start = from;
  while (start < to) {
    const kind = kinds[start] ?? "text";
    let end = start + 1;
    while (end < to && kinds[end] === kind) end += 1;
    parts.push({ kind, from: start, to: end, call: null });
    start = end;
  }
}

/** Token ranges of `<tool_call>…</tool_call>`, tags included; an unclosed call runs to the end of the turn's text. */
function callBlocks(texts: readonly string[]): { from: number; to: number }[] {
  const whole = texts.join("");
  const tokenAt = tokenFinder(texts);
  const blocks: { from: number; to: number }[] = [];
  let search = 0;
  for (;;) {
    const open = whole.indexOf(OPEN, search);
    if (open < 0) return blocks;
    const close = whole.indexOf(CLOSE, open);
    const end = close < 0 ? unclosedEnd(texts, whole) : close + CLOSE.length;
    const from = Math.max(tokenAt(open), blocks.at(-1)?.to ?? 0);
    const to = Math.max(from, tokenAt(Math.max(open, end - 1)) + 1);
    blocks.push({ from, to });
    if (close < 0) return blocks;
    search = end;
  }
}

function unclosedEnd(texts: readonly string[], whole: string): number {
  let end = whole.length;
  for (let at = texts.length - 1; at >= 0 && CONTROL.test(texts[at] ?? ""); at -= 1)
    end -= (texts[at] ?? "").length;
  return end;
}

/** Character offset → index of the token that holds it. */
function tokenFinder(texts: readonly string[]): (offset: number) => number {
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}
