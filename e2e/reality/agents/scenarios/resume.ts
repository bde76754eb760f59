import type { Scenario, Scene, Script } from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { call, say, think } from "#reality/agents/scenarios/turn.ts";

/** Turns of text alone between user turns; each user turn after the first resumes the client's session, in a new process where it is a program. */
export const RESUME_SCENARIO: Scenario = {
  name: "resume",
  prompts: [
    "How would you sum the counts in stock.csv? Do not do it yet.",
    "Do it: write report.txt.",
    "Add the line `checked` to it.",
    "Look once more.",
    "Thank you. One word, please.",
  ],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main: script,
  check: checkReport,
  minCalls: 9,
};

function* script({ workspace, tools }: Scene): Script {
  yield say(think("Only words."), "\nWith awk: \n\n    awk -F, '{ sum += $2 }'\n\nShall I? ");
  yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
  yield say(tools().shell("sed -i s/WORD/total/ total.sh && sh total.sh > report.txt"));
  yield say(think("Good."), "It is written.");
  yield say("Yes.", tools().shell("echo checked >> report.txt"));
  yield say(tools().shell("cat report.txt"));
  yield say("Added. ");
  // A call that is no JSON: some clients answer it, to others it is text.
  const next = yield say(think("Looking."), call("broken", '{"command": "cat report'));
  if (next.last.includes("<tool_response>")) yield say("That call was broken.");
  yield { ...say(think("Which one?"), "Gladly."), isLast: true };
}
