import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { RateLimit } from "#sandboxes/kubernetes/rate-limit.ts";

const { signal } = new AbortController();

it("lets through one after the other, in order, and no faster", async () => {
  const rate = new RateLimit(100);
  const began = performance.now();
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4, 5].map((n) => rate.take(signal).then(() => order.push(n))));
  expect(order).toEqual([1, 2, 3, 4, 5]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(39);
});

it("gives the turn of one that left to the next", async () => {
  const rate = new RateLimit(2);
  await rate.take(signal);
  const leaving = new AbortController();
  const left = rate.take(leaving.signal);
  const next = rate.take(signal);
  const began = performance.now();
  leaving.abort(new Error("cancelled"));
  await expect(left).rejects.toThrow("cancelled");
  await next;
  expect(performance.now() - began).toBeLessThan(900);
});

it("holds all back, those that wait already too", async () => {
  const rate = new RateLimit(1_000);
  await rate.take(signal);
  const waiting = rate.take(signal);
  rate.holdBack(200);
  const later = rate.take(signal);
  const early = await Promise.race([waiting, later, sleep(100, "nobody")]);
  expect(early).toBe("nobody");
  await Promise.all([waiting, later]);
});
