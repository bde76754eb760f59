import { expect, test, vi } from "vitest";
import { QuerySlots } from "#auth/query-slots.ts";

const tick = () => new Promise((resolve) => setImmediate(resolve));

function socket() {
  let close = () => {};
  return {
    pause: vi.fn(),
    resume: vi.fn(),
    once: (_: "close", listener: () => void) => {
      close = listener;
    },
    close: () => close(),
  };
}

test("a flood of one actor leaves another one's queries alone, and its socket is read no further", async () => {
  const slots = new QuerySlots();
  const flooding = socket();
  const flood = slots.of("token:a", flooding);
  const releases: (() => void)[] = [];
  const begun = Array.from({ length: 100 }, () => flood.begin().then((end) => releases.push(end)));
  await tick();
  expect(releases).toHaveLength(16);
  expect(flooding.pause).toHaveBeenCalledTimes(1);
  (await slots.of("token:b").begin())();
  for (let i = 0; i < 100; i++) {
    releases[i]?.();
    await tick();
    if (i === 50) expect(flooding.resume).not.toHaveBeenCalled();
  }
  await Promise.all(begun);
  expect(flooding.resume).toHaveBeenCalledTimes(1);
  // A second release of the same query counts for nothing.
  for (const release of releases) release();
  const again = slots.of("token:a");
  const ends = await Promise.all(Array.from({ length: 16 }, () => again.begin()));
  let isSeventeenth = false;
  void again.begin().then(() => {
    isSeventeenth = true;
  });
  await tick();
  expect(isSeventeenth).toBe(false);
  for (const end of ends) end();
});

test("what waits is bounded, and so are subscriptions, which end with their socket", async () => {
  const slots = new QuerySlots();
  const flood = slots.of("token:a");
  const refused: unknown[] = [];
  for (let i = 0; i < 2_100; i++) flood.begin().catch((error: unknown) => refused.push(error));
  await tick();
  expect(refused).toHaveLength(2_100 - 16 - 2_000);
  expect(refused[0]).toMatchObject({ code: "TOO_MANY_REQUESTS" });
  for (let round = 0; round < 8; round++) {
    const one = socket();
    const subscriber = slots.of("token:b", one);
    for (let i = 0; i < 200; i++) subscriber.subscribe();
    expect(() => subscriber.subscribe()).toThrow(/subscriptions are open/);
    one.close();
  }
  slots.of("token:b").subscribe();
});
