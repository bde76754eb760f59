import { expect, test } from "vitest";
import { type Untrained, whyUntrained } from "#trajectories/trained/why-untrained.ts";

const known: Untrained = {
  run: { driver: "embedded", status: "running", staleness: 0 },
  rollout: { mode: "train", status: "succeeded", reward: 1, step: 4 },
  segment: { trainable: true, reason: null },
  newestStep: 3,
};
const apart = { driver: "embedded", status: "running", staleness: 2 } as const;

test.each<[string, Partial<Untrained>, RegExp, boolean]>([
  ["its step's update has not been", {}, /yet/, true],
  ["no update has been", { newestStep: null }, /yet/, true],
  ["its step's update was without it", { newestStep: 4 }, /^No update took/, false],
  ["a later update may still take it", { newestStep: 5, run: apart }, /yet/, true],
  ["it would be too old by now", { newestStep: 6, run: apart }, /too old/, false],
  ["it runs", { rollout: { ...known.rollout, status: "running" } }, /after its end/, true],
  ["it has no reward", { rollout: { ...known.rollout, reward: null } }, /without a reward/, false],
  ["its segment trains nothing", { segment: { trainable: false, reason: "side" } }, /side/, false],
  ["it is an evaluation", { rollout: { ...known.rollout, mode: "eval" } }, /evaluation/, false],
  ["it has no run", { run: null }, /no trainer/, false],
  ["verl trains", { run: { ...apart, driver: "ray-job" } }, /reports nothing/, false],
])("%s", (_, change, why, isPending) => {
  const told = whyUntrained({ ...known, ...change });
  expect(told.why).toMatch(why);
  expect(told).toMatchObject({ isPending, update: null, spreads: null });
});
