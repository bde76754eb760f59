import { expect, test } from "vitest";
import { launchSpec } from "#testing/factories.ts";
import { Account, type Life, type Member, type Take } from "#updates/account.ts";
import { trainingRules } from "#updates/training-rules.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const member = (index: number, reward: number | null, change: Partial<Member> = {}): Member => ({
  ...{ rolloutId: `r${index}`, groupId: "g", mode: "train", status: "succeeded", reward },
  ...{ termination: "agent-finished", integrityKinds: [], versionMin: 4, tokensSampled: 30 },
  ...{ askedStep: 5, queuedAt: at(10) },
  ...change,
});
const base = launchSpec();
const apart = { ...base.algorithm, trainer_mode: "fully_async" as const };
const critic = { ...apart, adv_estimator: "gae" as const };
const filter = { enable: true, drop_reasons: ["max_turns"] };
const life = (second: number, version: number | null): Life => ({
  ...{ since: at(second), version, step: version === null ? null : version + 1 },
});

function accountOf(
  members: Member[],
  known: {
    spec?: Partial<typeof base>;
    status?: string;
    takes?: Record<string, Take>;
    lives?: Life[];
  } = {},
) {
  return new Account({
    rules: trainingRules({
      spec: launchSpec({ algorithm: apart, ...known.spec }),
      status: known.status ?? "running",
    }),
    ...{ members, takes: new Map(Object.entries(known.takes ?? {})), hasRecords: true },
    lives: known.lives ?? [life(0, 4)],
  });
}
const taken = { r0: { step: 6, lost: false }, r1: { step: 6, lost: false } };
const states = (account: Account, members: readonly Member[]) =>
  members.map((one) => account.trainingOf(one));

test("what an update took is told with its step", () => {
  const members = [member(0, 1), member(1, 0)];
  const account = accountOf(members, { takes: taken });
  expect(account.trainingOf(member(0, 1))).toEqual({ state: "trained", step: 6, reason: null });
  expect(members.map((one) => account.advantageOf(one)?.toFixed(3))).toEqual(["0.707", "-0.707"]);
});

test("what a filter named did not train, and its reward is in no advantage", () => {
  const members = [member(0, 1), member(1, 0), member(2, 0, { termination: "max-turns" })];
  const account = accountOf(members, {
    ...{ spec: { trajectory_filter: filter }, takes: { ...taken, r2: { step: 6, lost: false } } },
  });
  expect(states(account, members).map(({ state, reason }) => [state, reason])).toEqual([
    ["trained", null],
    ["trained", null],
    ["filtered", "max_turns"],
  ]);
  // By the two that are kept: of all three it would be 1.155.
  expect(members.map((one) => account.advantageOf(one)?.toFixed(3) ?? null)).toEqual([
    ...["0.707", "-0.707"],
    null,
  ]);
});

test("equal rewards train nothing where rewards of a group are compared, and train with a critic", () => {
  const members = [member(0, 1), member(1, 1)];
  const equal = accountOf(members, { takes: taken });
  expect(equal.isFlat("g")).toBe(true);
  expect(equal.trainingOf(member(0, 1)).state).toBe("no-advantage");
  const withCritic = accountOf(members, { takes: taken, spec: { algorithm: critic } });
  expect(withCritic.isFlat("g")).toBe(false);
  expect(withCritic.trainingOf(member(0, 1)).state).toBe("trained");
  expect(withCritic.advantageOf(member(0, 1))).toBeNull();
  const mixed = accountOf([member(0, 1), member(1, 0)], { spec: { algorithm: critic } });
  expect(mixed.advantageOf(member(0, 1))).toBeNull();
  const entropy = { ...apart, entropy_coeff: 0.01 };
  const touched = accountOf(members, { takes: taken, spec: { algorithm: entropy } });
  expect(touched.trainingOf(member(0, 1)).state).toBe("trained");
});

test("rewards that are equal among the kept ones are flat, whatever the others are", () => {
  const members = [member(0, 1), member(1, 1), member(2, 0, { termination: "max-turns" })];
  const account = accountOf(members, { spec: { trajectory_filter: filter }, takes: taken });
  expect(account.isFlat("g")).toBe(true);
  expect(account.advantageOf(member(0, 1))).toBe(0);
});

test.each<[string, Member[], Parameters<typeof accountOf>[1], object]>([
  ["runs", [member(0, null, { status: "running" })], {}, { state: "waiting" }],
  ["has no reward", [member(0, null, { status: "failed" })], {}, { state: "no-reward" }],
  ["sampled nothing", [member(0, 0, { tokensSampled: 0 })], {}, { state: "no-tokens" }],
  ["is an evaluation's", [member(0, 1, { mode: "eval" })], {}, { state: "never" }],
  ["has no peer", [member(0, 1)], { takes: taken }, { state: "alone", step: 6 }],
  ["is not taken yet", [member(0, 1)], {}, { state: "waiting" }],
  [
    "is too old by its oldest sibling",
    [member(0, 1), member(1, 1, { versionMin: 2 })],
    {},
    { state: "stale" },
  ],
  ["was left at the end", [member(0, 1)], { status: "succeeded" }, { state: "left" }],
  [
    "was asked for by an earlier life",
    [member(0, 1)],
    { lives: [life(0, 4), life(20, 9)] },
    { state: "lost", step: null },
  ],
  [
    "was too old before its asker ended",
    [member(0, 1)],
    { lives: [life(0, 6), life(20, 9)] },
    { state: "stale" },
  ],
  [
    "was trained in a step that a resume undid",
    [member(0, 1)],
    { takes: { r0: { step: 7, lost: true } } },
    { state: "lost", step: 7 },
  ],
  [
    "waits for its step's update in sync mode",
    [member(0, 1)],
    { spec: { algorithm: base.algorithm }, lives: [life(0, 3)] },
    { state: "waiting" },
  ],
  [
    "was not in its step's update in sync mode",
    [member(0, 1)],
    { spec: { algorithm: base.algorithm }, lives: [life(0, 4)] },
    { state: "left" },
  ],
])("a rollout that %s", (_, members, known, wanted) => {
  const [first] = members;
  if (!first) throw new Error("no member");
  expect(accountOf(members, known).trainingOf(first)).toMatchObject(wanted);
});

test("a trainer that tells nothing of its updates leaves it open", () => {
  const rules = trainingRules(null);
  const members = [member(0, 1), member(1, 0)];
  const account = new Account({ rules, members, takes: new Map(), lives: [], hasRecords: false });
  expect(account.trainingOf(member(0, 1)).state).toBe("unknown");
  expect(account.advantageOf(member(0, 1))).not.toBeNull();
});
