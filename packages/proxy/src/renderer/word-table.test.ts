import { expect, it } from "vitest";
import { WordTable } from "#renderer/word-table.ts";

const unitsOf = (text: string) =>
  Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

function idsOf(table: WordTable, word: string): number[] | null {
  const ids: number[] = [];
  return table.pushIds(unitsOf(word), 0, word.length, ids) ? ids : null;
}

function add(table: WordTable, word: string, ids: number[]): void {
  table.add(unitsOf(word), 0, word.length, ids);
}

it("gives the ids of words where they stand in a text", () => {
  const table = new WordTable();
  add(table, "read", [7]);
  add(table, " é🧪", [8, 9]);
  const ids = [1];
  const units = unitsOf("xread é🧪");
  expect(table.pushIds(units, 1, 5, ids)).toBe(true);
  expect(table.pushIds(units, 5, units.length, ids)).toBe(true);
  expect(table.pushIds(units, 0, 5, ids)).toBe(false);
  expect(ids).toEqual([1, 7, 8, 9]);
});

it("keeps what is asked for and forgets the rest, over any number of words", () => {
  const table = new WordTable();
  add(table, "kept", [1, 2, 3]);
  add(table, "left", [4]);
  const count = 150_000;
  for (let i = 0; i < count; i++) {
    add(table, `word ${i}`, [i, i + 1]);
    expect(idsOf(table, "kept")).toEqual([1, 2, 3]);
  }
  expect(idsOf(table, "left")).toBeNull();
  expect(idsOf(table, `word ${count - 1}`)).toEqual([count - 1, count]);
});
