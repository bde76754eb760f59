import { expect, it } from "vitest";
import type { OpenLease } from "#leases/open-lease.ts";
import { type Place, Places } from "#leases/places.ts";

const { signal } = new AbortController();
const asks = (runner: string) => ({ runner, slots: 4, sandbox: "docker" as const });
/** Handed on as it is: nothing looks into it. */
const leaseNamed = (id: string) => ({ id }) as OpenLease;
const joinedOf = (place: Place) => {
  if (place.kind !== "joined") throw new Error(`it is ${place.kind}`);
  return place;
};

it("gives an attempt to the runner that has asked longest, before it runs here", async () => {
  const places = new Places({ here: 1 });
  const east = places.ask(asks("east"), 1_000, signal);
  const west = places.ask(asks("west"), 1_000, signal);
  const first = joinedOf(await places.find(signal));
  const second = joinedOf(await places.find(signal));
  expect([first.runner, second.runner]).toEqual(["east", "west"]);
  expect(first.hand(leaseNamed("a"))).toBe(true);
  second.hand(null);
  expect(await east).toEqual({ id: "a" });
  expect(await west).toBeNull();
  expect((await places.find(signal)).kind).toBe("here");
});

it("lets an attempt wait for room here, in order", async () => {
  const places = new Places({ here: 1 });
  const first = await places.find(signal);
  const order: number[] = [];
  const second = places.find(signal).then((place) => {
    order.push(2);
    return place;
  });
  const third = places.find(signal).then(() => order.push(3));
  if (first.kind !== "here") throw new Error("there is room");
  first.leave();
  first.leave();
  const place = await second;
  expect(order).toEqual([2]);
  if (place.kind === "here") place.leave();
  await third;
  expect(order).toEqual([2, 3]);
});

it("gives what waits to a runner that comes", async () => {
  const places = new Places({ here: 0 });
  const finding = places.find(signal);
  const asking = places.ask(asks("east"), 1_000, signal);
  joinedOf(await finding).hand(leaseNamed("a"));
  expect(await asking).toEqual({ id: "a" });
});

it("forgets who has stopped waiting, on either side", async () => {
  const places = new Places({ here: 0 });
  expect(await places.ask(asks("east"), 5, signal)).toBeNull();
  const gone = new AbortController();
  const asking = places.ask(asks("east"), 60_000, gone.signal);
  gone.abort();
  expect(await asking).toBeNull();
  const cancelled = new AbortController();
  const waiting = places.find(cancelled.signal);
  cancelled.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  const next = places.find(signal);
  const asks2 = places.ask(asks("west"), 1_000, signal);
  expect(joinedOf(await next).hand(leaseNamed("b"))).toBe(true);
  expect(await asks2).toEqual({ id: "b" });
});

it("refuses a lease for a runner that has gone before it came", async () => {
  const places = new Places({ here: 0 });
  const gone = new AbortController();
  const asking = places.ask(asks("east"), 60_000, gone.signal);
  const place = joinedOf(await places.find(signal));
  gone.abort();
  expect(await asking).toBeNull();
  expect(place.hand(leaseNamed("a"))).toBe(false);
});

it("lists who has joined, by name", async () => {
  const places = new Places({ here: 0 });
  await places.ask(asks("west"), 0, signal);
  await places.ask(asks("east"), 0, signal);
  expect(places.runners()).toMatchObject([
    { name: "east", slots: 4, sandbox: "docker" },
    { name: "west", slots: 4, sandbox: "docker" },
  ]);
});
