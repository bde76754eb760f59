import { expect } from "vitest";
import type { ParsedTurn, TurnDelta } from "#families/family.ts";
import type { FamilyTurns, ReadGiven } from "#testing/family-turns.ts";

const SPLITS = [[1], [2, 3], [7, 1], [10_000]];

/** The turn reads so whatever its tokens and however they come, and what was told on the way is a beginning of it. */
export async function expectTurn(
  turns: FamilyTurns,
  text: string,
  expected: Partial<ParsedTurn>,
  given: ReadGiven = {},
): Promise<void> {
  const whole = { reasoning: null, content: "", toolCalls: [], status: "ok", ...expected };
  for (const ids of [await turns.encode(text), await turns.encodeBytes(text)]) {
    for (const sizes of SPLITS) {
      const { turn, deltas } = await turns.readSplit(ids, sizes, given);
      expect(turn).toEqual(whole);
      expectBeginnings(turn, deltas);
    }
  }
}

export function expectBeginnings(turn: ParsedTurn, deltas: readonly TurnDelta[]): void {
  const told = (kind: TurnDelta["kind"]) =>
    deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
  expect(turn.content.startsWith(told("content"))).toBe(true);
  expect((turn.reasoning ?? "").startsWith(told("reasoning"))).toBe(true);
}
