import type { Scenario, Scene, Script } from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { call, say, think } from "#reality/agents/scenarios/turn.ts";

/**
 * A task over many turns with everything that policies do and clients rewrite: thinking, odd arguments, `cd` in front,
 * parallel calls, an unknown tool, broken JSON, missing arguments.
 */
export const TOOLS_SCENARIO: Scenario = {
  name: "tools",
  prompts: ["Sum the counts in stock.csv by a script total.sh and write report.txt."],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main: script,
  check: checkReport,
  minCalls: 10,
};

/** The same on a model whose thought is its own part of an answer. */
export const THINKING_SCENARIO: Scenario = {
  ...TOOLS_SCENARIO,
  name: "thinking",
  template: "qwen2.5-thinking",
};

/** The same while text and thought leave as they are sampled. */
export const LIVE_SCENARIO: Scenario = { ...THINKING_SCENARIO, name: "live", stream: "live" };

/** The same on Qwen3's real template. */
export const QWEN3_SCENARIO: Scenario = { ...TOOLS_SCENARIO, name: "qwen3", template: "qwen3" };

function* script({ workspace, tools }: Scene): Script {
  yield say(
    think("Erst schauen…\n\n  dann rechnen."),
    "I look first.\n",
    tools().shell("ls && cat stock.csv"),
  );
  const path = `${workspace}/total.sh`;
  yield say("\n\nNow the script: ", tools().write(path, TOTAL_SCRIPT));
  yield say(tools().read(path));
  yield say(think("The word is wrong."), tools().edit(path, "WORD", "total"));
  yield say(tools().shell(`cd ${workspace} && sh total.sh > report.txt`, { timeout: 5000 }));
  yield say(
    "Three at once.\n",
    tools().shell(`cd ${workspace} && cat report.txt`),
    "\n",
    tools().shell("wc -c report.txt"),
    "\n",
    tools().read(path),
  );
  yield say(
    tools().call("frobnicate", { level: 1000, "1": "é", name: "ünïcode", list: [1, null] }),
  );
  yield say(tools().shell("echo before the broken one"), "\n", call("broken", '{"command": "ls'));
  yield say(tools().shellWithoutCommand());
  yield say(think(""), tools().shell("echo checked >> report.txt"));
  yield {
    ...say(think("All is there."), "\n  Done: the report is written. ✓ \n\n"),
    isLast: true,
  };
}
