import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Turnstile } from "#calls/turnstile.ts";

function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it("gives the event loop its turns between pieces of work that arrive together, in order", async () => {
  const turnstile = new Turnstile();
  const order: (number | "loop")[] = [];
  const watch = (async () => {
    for (let i = 0; i < 40; i++) {
      await nextTurn();
      order.push("loop");
    }
  })();
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      await turnstile.pass();
      order.push(i);
      work(5);
    }),
  );
  await watch;
  expect(order.filter((entry) => entry !== "loop")).toEqual(
    Array.from({ length: 12 }, (_, i) => i),
  );
  const turns = order
    .join(" ")
    .split("loop")
    .map((turn) => turn.split(" ").filter(Boolean).length);
  // 6 ms hold the beginnings of two pieces of 5 ms; without the turnstile all twelve would lie in one turn.
  expect(Math.max(...turns)).toBeLessThanOrEqual(2);
});

it("lets a piece pass at once where nothing else is there", async () => {
  const turnstile = new Turnstile();
  for (let i = 0; i < 3; i++) {
    let turns = 0;
    const timer = setImmediate(() => {
      turns += 1;
    });
    await turnstile.pass();
    expect(turns).toBe(0);
    clearImmediate(timer);
    await nextTurn();
  }
});
