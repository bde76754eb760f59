import {
  endsWith,
  type Scenario,
  type Scene,
  type Script,
  SUBTASK,
} from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { say, think } from "#reality/agents/scenarios/turn.ts";

const main = (inBackground: boolean) =>
  function* ({ workspace, tools }: Scene): Script {
    const ask = () =>
      tools().call("Agent", {
        description: "Count the lines",
        prompt: `${SUBTASK}: count the lines of ${workspace}/stock.csv`,
        subagent_type: "general-purpose",
        run_in_background: inBackground,
      });
    yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
    yield say(think("Two of them."), ask(), "\n", ask());
    yield say(tools().shell("sed -i s/WORD/total/ total.sh && sh total.sh > report.txt"));
    yield say(tools().shell("echo checked >> report.txt"));
    yield* endsWith(say("Both agree."));
  };

function* subagent({ workspace, tools }: Scene): Script {
  yield say(think("Counting."), tools().shell(`cd ${workspace} && wc -l stock.csv`));
  yield say(tools().read(`${workspace}/stock.csv`));
  yield { ...say("13 lines."), isLast: true };
}

const scenario = (name: string, inBackground: boolean): Scenario => ({
  name,
  prompts: ["Let two agents look at stock.csv, then sum its counts and write report.txt."],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main: main(inBackground),
  subagent,
  check: checkReport,
  minCalls: 11,
});

/** Two subagents at once with equal prompts, which send equal first requests; the main line waits for both. */
export const SUBAGENTS_SCENARIO = scenario("subagents", false);

/** The main line goes on beside them and is told when they have ended. */
export const BACKGROUND_SCENARIO = scenario("background", true);
