import { expect, test } from "vitest";
import { type Untrained, whyUntrained } from "#trajectories/trained/why-untrained.ts";

const known: Untrained = {
  run: { driver: "embedded", status: "running", staleness: 0 },
  rollout: { mode: "train", status: "succeeded", reward: 1, step: 4 },
  training: { state: "unknown", step: null, reason: null },
  segment: { trainable: true, reason: null },
  newestStep: 3,
};
const apart = { driver: "embedded", status: "running", staleness: 2 } as const;

const of = (state: Untrained["training"]["state"], step: number | null = null) => ({
  ...{ state, step, reason: null },
});
const filtered = { ...of("filtered"), reason: "max_turns" };

test.each<[string, Partial<Untrained>, RegExp, boolean]>([
  ["its step's update has not been", {}, /yet/, true],
  ["no update has been", { newestStep: null }, /yet/, true],
  ["no record has it", { newestStep: 4 }, /^No update took/, false],
  ["the filter named it", { training: filtered }, /filter kept .*: max_turns/, false],
  ["it is too old", { training: of("stale") }, /too many versions behind/, false],
  ["a resume undid its step", { training: of("lost", 3) }, /of step 3, was left behind/, false],
  ["its asker died", { training: of("lost") }, /that asked for it ended/, false],
  ["the run ended first", { training: of("left") }, /was over before/, false],
  ["it was alone", { training: of("alone", 3) }, /no other of its group/, false],
  ["it waits", { newestStep: 9, training: of("waiting") }, /yet/, true],
  ["a later update may still take it", { newestStep: 5, run: apart }, /yet/, true],
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
