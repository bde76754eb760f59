import type { EmbeddedSpec } from "@liverl/contract/launch";
import { evaluationTasksKey } from "@liverl/contract/metric";
import type { RepairTask } from "@liverl/contract/repair-task";
import type { RolloutRequest } from "@liverl/contract/rollout";
import type { RolloutClient } from "#trainer/rollout-client.ts";

export interface Evaluation {
  reward: number;
  tasks: number;
}

const VALIDATION_KEY = "val-core/liverl/repair/acc/mean@1";
/** Without it nobody could say how much of a difference is chance, nor that the first measure is on another set. */
const VALIDATION_TASKS_KEY = evaluationTasksKey(VALIDATION_KEY);

/** What an in-run evaluation logs. */
export const validationMetrics = ({ reward, tasks }: Evaluation) => ({
  [VALIDATION_KEY]: reward,
  [VALIDATION_TASKS_KEY]: tasks,
});

/**
 * Mean reward over held-out tasks, one rollout each, at temperature 1. A rollout without a reward counts neither way;
 * when none has one there is nothing to report, and that is an error.
 */
export async function evaluate(
  client: RolloutClient,
  {
    runId,
    spec,
    step,
    label,
    tasks,
  }: {
    runId: string;
    spec: EmbeddedSpec;
    step: number;
    label: string;
    tasks: readonly RepairTask[];
  },
): Promise<Evaluation> {
  const requests = tasks.map((task, i): RolloutRequest => {
    const id = `${runId}.${label}.t${i}`;
    return {
      rolloutId: id,
      runId,
      groupId: id,
      taskRef: task.ref,
      mode: "eval",
      step,
      sampling: { temperature: 1, max_tokens: spec.rollout.max_tokens },
      outputs: "all",
      routedExperts: false,
    };
  });
  const rewards = (await client.runAll(requests)).flatMap(({ reward }) =>
    reward === null ? [] : [reward],
  );
  if (rewards.length === 0)
    throw new Error(
      `evaluation ${label}: not one of ${tasks.length} rollouts has a reward; the runner's log says why`,
    );
  return { reward: rewards.reduce((a, b) => a + b, 0) / rewards.length, tasks: rewards.length };
}
