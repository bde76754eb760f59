import type { LaunchSpec } from "@liverl/contract/launch";
import type { TrialChange } from "@liverl/contract/rollout";

/** A small spec that passes the schema. */
export function launchSpec(change: Partial<LaunchSpec> = {}): LaunchSpec {
  return {
    project: "tests",
    name: "small",
    driver: "embedded",
    seed: 1,
    algorithm: {
      adv_estimator: "grpo",
      trainer_mode: "sync",
      norm_adv_by_std_in_grpo: true,
      clip_ratio_low: 0.2,
      clip_ratio_high: 0.28,
      kl_loss_coef: 0,
      entropy_coeff: 0,
    },
    batch: { train_batch_size: 2, n: 4 },
    optim: { lr: 0.001, grad_clip: 1, ppo_epochs: 1 },
    model: { warmup_steps: 10 },
    rollout: { engines: 1, temperature: 1, max_tokens: 48, max_turns: 5, concurrency: 8 },
    trainer: {
      total_training_steps: 4,
      test_freq: 2,
      save_freq: 2,
      val_tasks: 8,
      stop_at_val_reward: null,
    },
    ...change,
  };
}

/** A finished training rollout `<runId>.s<step>.g<group>.r<index>` as the runner's feed has it. */
export function trialChange({
  runId,
  step,
  group,
  index,
  ...change
}: {
  runId: string;
  step: number;
  group: number;
  index: number;
  cursor: number;
} & Partial<TrialChange>): TrialChange {
  const groupId = `${runId}.s${step}.g${group}`;
  const rolloutId = `${groupId}.r${index}`;
  return {
    rolloutId,
    sessionId: `${rolloutId}-a1`,
    runId,
    groupId,
    taskId: `repair/${step * 100 + group}`,
    taskName: `repair-${step * 100 + group}`,
    mode: "train",
    step,
    attempt: 1,
    status: "succeeded",
    reward: 1,
    termination: "agent-finished",
    error: null,
    turns: 3,
    tokensSampled: 30,
    tokensTotal: 120,
    versionSpan: [step, step],
    truncated: false,
    timings: { queueS: 0.1, setupS: 0.1, agentS: 1, generateS: 0.8, toolS: 0.2, verifyS: 0.05 },
    queuedAt: "2026-01-01T00:00:00.000Z",
    startedAt: "2026-01-01T00:00:00.100Z",
    endedAt: "2026-01-01T00:00:01.250Z",
    directory: null,
    ...change,
  };
}
