import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stringifyInTurns } from "#json/stringify-in-turns.ts";

it("is the text of JSON.stringify", async () => {
  const plain = fc.jsonValue();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(plain, fc.record({ a: plain, b: fc.constant(undefined) })),
      async (value) => {
        expect(await stringifyInTurns(value)).toBe(JSON.stringify(value));
      },
    ),
  );
  const value = {
    ids: Array.from({ length: 20_000 }, (_, i) => i),
    logprobs: Array.from({ length: 20_000 }, (_, i) => (i % 3 === 0 ? null : -i / 7)),
    mixed: [null, { a: [1] }, undefined, "x"],
  };
  expect(await stringifyInTurns(value)).toBe(JSON.stringify(value));
});

it("gives the event loop turns while it writes long lists", async () => {
  let turns = 0;
  let done = false;
  const watch = (async () => {
    while (!done) {
      await nextTurn();
      turns += 1;
    }
  })();
  await stringifyInTurns({ ids: Array.from({ length: 100_000 }, (_, i) => i) });
  done = true;
  await watch;
  expect(turns).toBeGreaterThan(10);
});
