import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Polled } from "#cluster/polled.ts";

it("asks once for all who look, and not again before its time", async () => {
  let asked = 0;
  const polled = new Polled(60_000, async () => ++asked);
  const answers = await Promise.all([polled.get(), polled.get(), polled.get()]);
  expect(answers.map(({ value }) => value)).toEqual([1, 1, 1]);
  expect((await polled.get()).value).toBe(1);
  expect(asked).toBe(1);
});

it("keeps the last answer with the fault while it fails, and asks less often", async () => {
  let asked = 0;
  const polled = new Polled(5, async () => {
    asked++;
    if (asked > 1) throw new Error("gone");
    return "here";
  });
  expect(await polled.get()).toMatchObject({ value: "here", fault: null });
  const until = performance.now() + 400;
  while (performance.now() < until) {
    await polled.get();
    await sleep(1);
  }
  expect(await polled.get()).toMatchObject({ value: "here", fault: "Error: gone" });
  // 5, 10, 20, 40, 80 and 160 ms apart.
  expect(asked).toBeLessThan(9);
});

it("forgets what is old, and tells nothing rather than that while it asks", async () => {
  let answer = Promise.resolve("first");
  const polled = new Polled(5, () => answer, { oldMs: 50 });
  expect((await polled.get()).value).toBe("first");
  await sleep(80);
  let come = (_: string) => undefined as void;
  answer = new Promise((resolve) => {
    come = resolve;
  });
  expect(await polled.get()).toEqual({ value: null, at: null, fault: null });
  come("second");
  expect((await polled.get()).value).toBe("second");
});
