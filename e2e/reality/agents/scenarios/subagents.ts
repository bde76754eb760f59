import {
  type Scenario,
  type Scene,
  type Script,
  SUBTASK,
} from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { say, think } from "#reality/agents/scenarios/turn.ts";

/** Two subagents at once with equal prompts, which send equal first requests; then the main line goes on. */
export const SUBAGENTS_SCENARIO: Scenario = {
  name: "subagents",
  prompts: ["Let two agents look at stock.csv, then sum its counts and write report.txt."],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main,
  subagent,
  check: checkReport,
  minCalls: 10,
};

function* main({ workspace, tools }: Scene): Script {
  const ask = () =>
    tools().call("Agent", {
      description: "Count the lines",
      prompt: `${SUBTASK}: count the lines of ${workspace}/stock.csv`,
      subagent_type: "general-purpose",
    });
  yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
  yield say(think("Two of them."), ask(), "\n", ask());
  yield say(tools().shell("sed -i s/WORD/total/ total.sh && sh total.sh > report.txt"));
  yield say(tools().shell("echo checked >> report.txt"));
  yield { ...say("Both agree."), isLast: true };
}

function* subagent({ workspace, tools }: Scene): Script {
  yield say(think("Counting."), tools().shell(`cd ${workspace} && wc -l stock.csv`));
  yield say(tools().read(`${workspace}/stock.csv`));
  yield { ...say("13 lines."), isLast: true };
}
