import type { Scenario, Scene, Script } from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { say, type Trouble, think } from "#reality/agents/scenarios/turn.ts";

const SLOW_MS = 13_000;
const CUT_AFTER_MS = 600;

/** What goes wrong between client, proxy and engine, once each: the client must come through and the record stay exact. */
export const FAULTS_SCENARIO: Scenario = {
  name: "faults",
  prompts: ["Sum the counts in stock.csv by a script total.sh and write report.txt."],
  files: (random) => ({ "stock.csv": stockFile(random) }),
  main: script,
  faults: [
    { at: 1, kind: "status", status: 429, retryAfterS: 1 },
    { at: 3, kind: "status", status: 503, retryAfterS: 1 },
    { at: 8, kind: "cut", afterMs: CUT_AFTER_MS },
  ],
  check: checkReport,
  minCalls: 8,
};

/** The same while text and thought leave as they are sampled: what a client has seen must stand. */
export const LIVE_FAULTS_SCENARIO: Scenario = {
  ...FAULTS_SCENARIO,
  name: "live faults",
  template: "qwen2.5-thinking",
  stream: "live",
};

function* script({ workspace, tools }: Scene): Script {
  const troubled = (trouble: Trouble, ...pieces: Parameters<typeof say>) => ({
    ...say(...pieces),
    trouble,
  });
  yield say(think("First look."), tools().shell("cat stock.csv"));
  yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
  yield troubled({ kind: "refuse", status: 503 }, tools().shell("sed -i s/WORD/total/ total.sh"));
  yield troubled({ kind: "sync" }, think("New weights may come."), tools().shell("sh total.sh"));
  yield troubled(
    { kind: "break" },
    think("Now into the file."),
    "The output goes to report.txt. ",
    tools().shell("sh total.sh > report.txt"),
  );
  yield troubled({ kind: "slow", delayMs: SLOW_MS }, tools().shell("cat report.txt"));
  // The gateway cuts the client off while this one is sampled.
  yield troubled(
    { kind: "trickle", delayMs: CUT_AFTER_MS / 4 },
    think("One line is missing."),
    "I add it. ",
    tools().shell("echo checked >> report.txt"),
  );
  yield { ...say("Done."), isLast: true };
}
