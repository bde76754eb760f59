import { afterAll, beforeAll, expect, it } from "vitest";
import { appRouter } from "#router.ts";
import { INGEST_TOKEN, startTestApp, type TestApp } from "#testing/start-test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

interface Names {
  reward: string;
  kl: string;
  entropy: string;
  gradNorm: string;
  loss: string;
}
/** As each trainer's source has them. */
const TRAINERS: Record<string, Names> = {
  verl: names(
    "critic/score/mean",
    "actor/ppo_kl",
    "actor/entropy",
    "actor/grad_norm",
    "actor/pg_loss",
  ),
  trl: names("train/reward", "train/kl", "train/entropy", "train/grad_norm", "train/loss"),
  "trl-json": names("reward", "kl", "entropy", "grad_norm", "loss"),
  "trl-ppo": names(
    "objective/scores",
    "policy/approxkl_avg",
    "policy/entropy_avg",
    "grad_norm",
    "loss/policy_avg",
  ),
  slime: names(
    "rollout/raw_reward",
    "rollout/kl",
    "train/entropy_loss",
    "train/grad_norm",
    "train/loss",
  ),
  "slime-ppo-kl": names(
    "rollout/raw_reward",
    "train/ppo_kl",
    "train/entropy_loss",
    "train/grad_norm",
    "train/pg_loss",
  ),
  "prime-rl": names(
    "reward/all/mean",
    "mismatch_kl/all/mean",
    "entropy/all/mean",
    "optim/grad_norm",
    "loss/mean",
  ),
  "prime-rl-effective": names(
    "train/effective/solver/reward/mean",
    "mismatch_kl/all/mean",
    "entropy/all/mean",
    "optim/grad_norm",
    "loss/mean",
  ),
  openrlhf: names(
    "train/reward",
    "train/kl",
    "train/entropy_loss",
    "train/actor_grad_norm",
    "train/policy_loss",
  ),
  skyrl: names(
    "reward/avg_raw_reward",
    "policy/policy_kl",
    "policy/policy_entropy",
    "policy/raw_grad_norm",
    "policy/final_loss",
  ),
  "nemo-rl": names(
    "train/reward",
    "train/kl_penalty",
    "train/approx_entropy",
    "train/grad_norm",
    "train/loss",
  ),
  roll: names(
    "critic/score/mean",
    "actor/approxkl",
    "critic/entropy/mean",
    "actor_train/grad_norm",
    "actor/total_loss",
  ),
  areal: names(
    "ppo_actor/task_reward/avg",
    "ppo_actor/update/approx_kl/avg",
    "ppo_actor/update/entropy/avg",
    "ppo_actor/update/grad_norm",
    "ppo_actor/update/loss/avg",
  ),
};

function names(reward: string, kl: string, entropy: string, gradNorm: string, loss: string): Names {
  return { reward, kl, entropy, gradNorm, loss };
}

async function log(run: string, rows: object[]): Promise<string> {
  const response = await fetch(`${app.base}/api/v1/metrics`, {
    ...{ method: "POST", headers: { authorization: `Bearer ${INGEST_TOKEN}` } },
    body: JSON.stringify({ project: "trainers", run, rows }),
  });
  const { runId } = (await response.json()) as { runId: string };
  await app.control.ctx.ingest.settle();
  return runId;
}
const caller = () => appRouter.createCaller({ ...app.control.ctx, actor: "test" });

const STEPS = Array.from({ length: 40 }, (_, i) => i + 1);
const collapse = ({ reward, kl, entropy, gradNorm, loss }: Names) =>
  STEPS.map((step) => ({
    step,
    values: {
      [reward]: step < 30 ? 0.1 + 0.02 * step : 0.02,
      [kl]: step < 28 ? 0.001 : 0.5,
      [entropy]: step < 28 ? 0.5 : 0.001,
      [gradNorm]: step === 35 ? "NaN" : 0.4,
      [loss]: step === 35 ? "NaN" : 0.1,
    },
  }));
const healthy = ({ reward, kl, entropy, gradNorm, loss }: Names) =>
  STEPS.map((step) => ({
    step,
    values: {
      [reward]: 0.1 + 0.015 * step,
      [kl]: 0.001 + 0.0001 * (step % 3),
      [entropy]: 0.5 - 0.002 * step,
      [gradNorm]: 0.4 + 0.02 * (step % 4),
      [loss]: 0.1 - 0.01 * (step % 5),
    },
  }));

it.each(Object.entries(TRAINERS))("a collapse is seen in %s's names", async (trainer, keys) => {
  const id = await log(`${trainer}-down`, collapse(keys));
  const verdict = await caller().run.verdict({ id });
  expect(verdict.word).toBe("Degraded");
  const drop = verdict.advisories.find((advisory) => advisory.id === "reward-drop");
  expect(drop).toMatchObject({ sinceStep: 30, metricKey: keys.reward });
  const broken = verdict.advisories.filter((advisory) => /-nan$|not-finite/.test(advisory.id));
  const said = broken.map(({ title, detail }) => `${title} ${detail}`).join(" ");
  expect(said).toContain(keys.gradNorm);
  expect(said).toContain(keys.loss);
  expect(said).toContain("step 35");
  const logged = Object.values(keys);
  for (const { metricKey } of verdict.advisories) expect([null, ...logged]).toContain(metricKey);
  const { runs } = await caller().run.list({ project: "trainers" });
  expect(runs.find((run) => run.id === id)?.reward.last).toBe(0.02);
});

it.each(Object.entries(TRAINERS))(
  "a sound run stays healthy in %s's names",
  async (trainer, keys) => {
    const id = await log(`${trainer}-up`, healthy(keys));
    expect(await caller().run.verdict({ id })).toMatchObject({ word: "Healthy", advisories: [] });
  },
);

it("the reward of training goes before that of an evaluation, and the raw before a shaped one", async () => {
  const rows = STEPS.map((step) => ({
    step,
    values: { "eval/reward": 0.9, "train/reward": step / 100, "train/rewards/format/mean": 0.3 },
  }));
  const id = await log("both", rows);
  const { runs } = await caller().run.list({ project: "trainers" });
  expect(runs.find((run) => run.id === id)).toMatchObject({
    reward: { last: 0.4 },
    heldOutReward: 0.9,
  });
});

it("a name that nobody knows is judged once the project says what it is, and not any more after a reset", async () => {
  const keys = names("mine/score", "mine/divergence", "mine/h", "mine/gn", "mine/objective");
  const id = await log("unknown", collapse(keys));
  const rewardOf = async () =>
    (await caller().run.list({ project: "trainers" })).runs.find((run) => run.id === id)?.reward
      .last;
  expect((await caller().run.verdict({ id })).word).toBe("Unknown");
  await caller().metric.setName({ project: "trainers", metric: "reward", key: keys.reward });
  await caller().metric.setName({ project: "trainers", metric: "grad-norm", key: keys.gradNorm });
  const verdict = await caller().run.verdict({ id });
  expect(verdict.advisories).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: "reward-drop", sinceStep: 30, metricKey: keys.reward }),
      expect.objectContaining({ id: "grad-norm-nan", metricKey: keys.gradNorm }),
    ]),
  );
  expect(await rewardOf()).toBe(0.02);
  const { names: listed } = await caller().metric.names({ project: "trainers" });
  expect(listed.find(({ metric }) => metric === "reward")).toMatchObject({
    key: keys.reward,
    actor: "test",
  });
  await caller().metric.resetName({ project: "trainers", metric: "reward" });
  await caller().metric.resetName({ project: "trainers", metric: "grad-norm" });
  expect((await caller().run.verdict({ id })).word).toBe("Unknown");
  expect(await rewardOf()).toBeNull();
});
