import { expect, it } from "vitest";
import { nextOutputAt, outputBetween, parseCast } from "#terminals/parse-cast.ts";

const LINES = [
  '{"version":2,"width":90,"height":30,"timestamp":1}',
  '[0,"m","ls"]',
  '[0,"o","$ ls\\r\\n"]',
  '[1.5,"o","a\\r\\n"]',
  '[4,"o","b\\r\\n"]',
];

it("reads a recording that is still written, up to its last whole line", () => {
  const cast = parseCast(`${LINES.join("\n")}\n[9,"o","cu`);
  expect(cast.columns).toBe(90);
  expect(cast.durationS).toBe(4);
  expect(cast.events).toHaveLength(4);
});

it("leaves out what is no event", () => {
  const text = `${LINES[0]}\nnull\n{"a":1}\n[-1,"o","x"]\n["1","o","x"]\n[2,"o"]\n${LINES[3]}`;
  expect(parseCast(text).events).toEqual([[1.5, "o", "a\r\n"]]);
  expect(parseCast("")).toEqual({ columns: 120, events: [], durationS: 0 });
});

it("tells what is shown between two moments, and when something comes next", () => {
  const cast = parseCast(LINES.join("\n"));
  expect(outputBetween(cast, Number.NEGATIVE_INFINITY, 0)).toBe("$ ls\r\n");
  expect(outputBetween(cast, 0, 4)).toBe("a\r\nb\r\n");
  expect(outputBetween(cast, 1.5, 3.9)).toBe("");
  expect(nextOutputAt(cast, 1.5)).toBe(4);
  expect(nextOutputAt(cast, 4)).toBeNull();
});
