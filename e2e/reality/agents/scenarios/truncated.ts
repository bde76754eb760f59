import {
  endsWith,
  type Scenario,
  type Scene,
  type Script,
} from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { say, think } from "#reality/agents/scenarios/turn.ts";

/** A turn is cut by its budget: the client goes on by itself or with the next user turn, and the cut turn stays as it was sampled. */
export const TRUNCATED_SCENARIO: Scenario = {
  name: "truncated",
  prompts: ["Sum the counts in stock.csv by a script and write report.txt.", "Go on.", "Thanks."],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main: script,
  check: checkReport,
  minCalls: 6,
};

function* script({ workspace, tools }: Scene): Script {
  yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
  yield say(tools().shell("sed -i s/WORD/total/ total.sh && sh total.sh > report.txt"));
  yield {
    ...say(think("A long one."), "The report is written, and so I shall now"),
    trouble: { kind: "length" },
  };
  yield say(tools().shell("echo checked >> report.txt"));
  yield* endsWith(say("Done."));
}
