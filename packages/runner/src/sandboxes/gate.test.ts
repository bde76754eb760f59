import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Gate } from "#sandboxes/gate.ts";

it("lets no more work at once, in order, also after one that failed", async () => {
  const slots = new Gate(2);
  let working = 0;
  let most = 0;
  const order: number[] = [];
  const settled = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((n) =>
      slots.run(async () => {
        order.push(n);
        most = Math.max(most, ++working);
        await sleep(5);
        working--;
        if (n === 1) throw new Error("failed");
        return n;
      }),
    ),
  );
  expect(settled.map(({ status }) => status)).toEqual(["rejected", ...Array(4).fill("fulfilled")]);
  expect([most, working, order]).toEqual([2, 0, [1, 2, 3, 4, 5]]);
});
