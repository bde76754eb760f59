import { hash32, Random } from "@liverl/contract/random";
import { drawRepairTask, type RepairTask } from "@liverl/contract/repair-task";

export const FINAL_TASKS = 256;

export interface HeldOutTasks {
  before: RepairTask[];
  inRun: RepairTask[];
  final: RepairTask[];
}

/** Three sets of held-out tasks that share none: before training, in-run evaluations, and the closing measure. */
export function heldOutTasks(seed: number, inRunTasks: number): HeldOutTasks {
  const random = new Random(hash32(`held-out ${seed}`));
  const taken = new Set<string>();
  const draw = (count: number) =>
    Array.from({ length: count }, () => {
      for (;;) {
        const task = drawRepairTask(random, true);
        const { seed: _, ref: __, ...content } = task;
        const key = JSON.stringify(content);
        if (taken.has(key)) continue;
        taken.add(key);
        return task;
      }
    });
  return { final: draw(FINAL_TASKS), before: draw(FINAL_TASKS), inRun: draw(inRunTasks) };
}
