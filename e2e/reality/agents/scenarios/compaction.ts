import type { Random } from "@liverl/contract/random";
import type { Scenario, Scene, Script } from "#reality/agents/scenarios/scenario.ts";
import { checkReport, stockFile, TOTAL_SCRIPT } from "#reality/agents/scenarios/stock-task.ts";
import { say, think } from "#reality/agents/scenarios/turn.ts";

const CLIENT_WINDOW = 40_000;
const MAX_READS = 40;
const PAGES = 8;
/** Claude Code gives the last five files that it saw anew after a compaction: they have to leave room for work. */
const LINES = 75;
const WORDS = [
  "valve",
  "bearing",
  "the",
  "of",
  "flange",
  "stock",
  "count",
  "under",
  "Prüfung",
] as const;

function page(random: Random): string {
  const line = () => Array.from({ length: 9 }, () => random.pick(WORDS)).join(" ");
  return `${Array.from({ length: LINES }, line).join("\n")}\n`;
}

function files(random: Random): Record<string, string> {
  const pages = Array.from({ length: PAGES }, (_, i) => [`page-${i}.txt`, page(random)]);
  return { "stock.csv": stockFile(random), ...Object.fromEntries(pages) };
}

/** Reads until the client has compacted `count` times, then does the task. */
const script = (count: number) =>
  function* ({ workspace, tools, compactions }: Scene): Script {
    yield say(tools().write(`${workspace}/total.sh`, TOTAL_SCRIPT));
    for (let i = 0; i < MAX_READS && compactions() < count; i++)
      yield say(think(`Page ${i}.`), tools().shell(`cat page-${i % PAGES}.txt`));
    yield say(tools().shell("sed -i s/WORD/total/ total.sh && sh total.sh > report.txt"));
    yield say(tools().shell("echo checked >> report.txt"));
    yield { ...say("Done after reading much."), isLast: true };
  };

const PROMPT = "Read all pages, then sum the counts in stock.csv and write report.txt.";

/** The client compacts by the usage that it is told, twice. */
export const COMPACTION_SCENARIO: Scenario = {
  name: "compaction",
  prompts: [PROMPT],
  files,
  main: script(2),
  clientWindow: CLIENT_WINDOW,
  check: checkReport,
  minCompactions: 2,
  minCalls: 8,
};

/** The client believes in a larger window than there is: the proxy's refusal must make it compact. */
export const OVERFLOW_SCENARIO: Scenario = {
  name: "overflow",
  prompts: [PROMPT],
  files,
  main: script(1),
  poolWindow: CLIENT_WINDOW,
  check: checkReport,
  minCompactions: 1,
  minCalls: 8,
};
