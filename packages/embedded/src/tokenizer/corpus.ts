import { Random } from "@liverl/contract/random";
import {
  bodyOf,
  drawRepairTask,
  failureMessage,
  instructionOf,
  REPAIR_SYSTEM_PROMPT,
  REPAIR_TOOLS,
  TOOL_ANSWERS,
} from "@liverl/contract/repair-task";

const TASKS = 400;
const CORPUS_SEED = 7;

/** Texts that the tokenizer learns its merges from: what a session of the repair tasks is made of, piece by piece. */
export function tokenizerCorpus(): string[] {
  const random = new Random(CORPUS_SEED);
  const texts: string[] = [];
  for (let i = 0; i < TASKS; i++) {
    const task = drawRepairTask(random, false);
    texts.push(
      REPAIR_SYSTEM_PROMPT,
      instructionOf(task),
      failureMessage(task, task.brokenFunction),
    );
    texts.push(bodyOf(task.wrongIntent), ...task.functions.map((fn) => bodyOf(fn.intent)));
    texts.push(...REPAIR_TOOLS.map((tool) => tool.function.name), ...Object.values(TOOL_ANSWERS));
  }
  return texts;
}
