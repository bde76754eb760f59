import { expect, test } from "vitest";
import { prepareGiven } from "#trajectories/prepare-given.ts";

const text = "Fix it.\n\nsrc/a.js\none";
const parts = [
  { role: "system", from: 0 },
  { role: "user", from: 9 },
];

test("a text of several messages is cut where they begin", () => {
  expect(prepareGiven({ text, from: 0, parts })).toEqual([
    { role: "system", text: "Fix it.", from: 0, isRest: false },
    { role: "user", text: "src/a.js\none", from: 9, isRest: false },
  ]);
  expect(prepareGiven({ text, from: 0 })).toEqual([{ role: null, text, from: 0, isRest: false }]);
});

test("a range has the messages that it reaches, and says which one goes on", () => {
  expect(prepareGiven({ text: text.slice(0, 5), from: 0, parts })).toEqual([
    { role: "system", text: "Fix i", from: 0, isRest: false },
  ]);
  expect(prepareGiven({ text: text.slice(12), from: 12, parts })).toEqual([
    { role: "user", text: "/a.js\none", from: 12, isRest: true },
  ]);
});
