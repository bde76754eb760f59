import { hash32, Random } from "#random.ts";

/**
 * The embedded task family: a small JavaScript repository in which one line is wrong.
 * All of a task follows from its seed, so a task reference is `repair/<seed>`.
 */
export const REPAIR_PREFIX = "repair/";

type Value = number | boolean;
interface Intent {
  /** How the tests say what the function should be; X and Y stand for its parameters. */
  words: readonly [string, ...string[]];
  expression: string;
  reference: (x: number, y: number) => Value;
}

const INTENTS = {
  add: { words: ["sum of X and Y", "X plus Y"], expression: "X + Y", reference: (x, y) => x + y },
  sub: {
    words: ["X minus Y", "difference of X and Y"],
    expression: "X - Y",
    reference: (x, y) => x - y,
  },
  mul: {
    words: ["product of X and Y", "X times Y"],
    expression: "X * Y",
    reference: (x, y) => x * y,
  },
  mod: {
    words: ["remainder of X by Y", "X modulo Y"],
    expression: "X % Y",
    reference: (x, y) => x % y,
  },
  max: {
    words: ["larger of X and Y", "maximum of X and Y"],
    expression: "Math.max(X, Y)",
    reference: (x, y) => Math.max(x, y),
  },
  min: {
    words: ["smaller of X and Y", "minimum of X and Y"],
    expression: "Math.min(X, Y)",
    reference: (x, y) => Math.min(x, y),
  },
  gte: {
    words: ["whether X is at least Y", "if X reaches Y"],
    expression: "X >= Y",
    reference: (x, y) => x >= y,
  },
  lt: {
    words: ["whether X is below Y", "if X is under Y"],
    expression: "X < Y",
    reference: (x, y) => x < y,
  },
} as const satisfies Record<string, Intent>;
export type IntentName = keyof typeof INTENTS;
const INTENT_NAMES = Object.keys(INTENTS) as [IntentName, ...IntentName[]];

/** Many, so that the warm-up can not learn by heart what a function of this name and wording should be. */
const NAMES = [
  "total",
  "gap",
  "area",
  "price",
  "score",
  "rank",
  "limit",
  "cost",
  "level",
  "merge",
  "shift",
  "bound",
  "delta",
  "fee",
  "ratio",
  "check",
  "weight",
  "tax",
  "tip",
  "grade",
  "depth",
  "width",
  "height",
  "speed",
  "offset",
  "margin",
  "stock",
  "quota",
  "budget",
  "credit",
  "debit",
  "balance",
  "pace",
  "drift",
  "slope",
  "gain",
  "spread",
  "load",
  "volume",
  "count",
  "index",
  "weekly",
  "daily",
  "target",
  "reserve",
  "bonus",
  "penalty",
  "refund",
  "share",
  "split",
  "blend",
  "scale",
  "step",
  "pick",
  "guard",
  "floor",
  "ceiling",
  "edge",
  "span",
  "reach",
  "choose",
  "compare",
  "signal",
  "trend",
] as const;
const FILES = ["cart.js", "math.js", "util.js", "stats.js", "core.js", "shop.js"] as const;
const FUNCTIONS = 2;
const LINES_PER_FUNCTION = 3;

/** Arguments of the visible check that the agent's `test` tool runs. */
export const VISIBLE_ARGUMENTS = [
  [2, 3],
  [7, 4],
  [9, 2],
  [5, 5],
  [1, 8],
] as const;
/** Arguments of the hidden tests: no pair is visible, and every two intents differ on at least one. */
export const HIDDEN_ARGUMENTS = [
  [12, 5],
  [3, 8],
  [6, 6],
  [4, 9],
  [17, 3],
  [9, 1],
  [2, 11],
] as const;

export interface RepairFunction {
  name: string;
  intent: IntentName;
  /** "sum of a and b". */
  words: string;
}

export interface RepairTask {
  ref: string;
  seed: number;
  /** Path in the repository. */
  path: string;
  functions: RepairFunction[];
  /** Index of the function whose body is wrong. */
  brokenFunction: number;
  /** What its body does instead. */
  wrongIntent: IntentName;
  /** The broken file, a line an entry. */
  lines: string[];
  heldOut: boolean;
}

const spell = (pattern: string) => pattern.replaceAll("X", "a").replaceAll("Y", "b");

/** The body line for an intent, without indentation: `return a + b`. */
export function bodyOf(intent: IntentName): string {
  return `return ${spell(INTENTS[intent].expression)}`;
}

export function repairTask(seed: number): RepairTask {
  const random = new Random(seed);
  const names = new Set<string>();
  while (names.size < FUNCTIONS) names.add(random.pick(NAMES));
  const functions = [...names].map((name): RepairFunction => {
    const intent = random.pick(INTENT_NAMES);
    const words: readonly [string, ...string[]] = INTENTS[intent].words;
    return { name, intent, words: spell(random.pick(words)) };
  });
  const brokenFunction = random.below(FUNCTIONS);
  const broken = functions[brokenFunction];
  if (!broken) throw new Error("a task has at least one function");
  const others = INTENT_NAMES.filter((name) => name !== broken.intent);
  const wrongIntent = others[random.below(others.length)] ?? "add";
  const lines = functions.flatMap((fn, i) => [
    `function ${fn.name}(a, b) {`,
    `  ${bodyOf(i === brokenFunction ? wrongIntent : fn.intent)}`,
    "}",
  ]);
  return {
    ref: `${REPAIR_PREFIX}${seed}`,
    seed,
    path: `src/${random.pick(FILES)}`,
    functions,
    brokenFunction,
    wrongIntent,
    lines,
    // The split is by what has to be learnt together (name and wording), so a held-out pair never occurs in training.
    heldOut: hash32(`${broken.name}|${broken.words}`) % 5 === 0,
  };
}

export function parseRepairRef(ref: string): RepairTask | null {
  const seed = /^repair\/(\d{1,10})$/.exec(ref)?.[1];
  return seed === undefined || Number(seed) > 0xffffffff ? null : repairTask(Number(seed));
}

/** Draws seeds until one falls on the wanted side of the split. */
export function drawRepairTask(random: Random, heldOut: boolean): RepairTask {
  for (;;) {
    const task = repairTask(Math.floor(random.next() * 4294967296));
    if (task.heldOut === heldOut) return task;
  }
}

/** Line number (from 1) of the wrong line. */
export function brokenLine(task: RepairTask): number {
  return task.brokenFunction * LINES_PER_FUNCTION + 2;
}

/** Expected values, one row a function, in the order of `argumentList`. */
export function expectedValues(
  task: RepairTask,
  argumentList: readonly (readonly [number, number])[],
): Value[][] {
  return task.functions.map((fn) =>
    argumentList.map(([x, y]) => INTENTS[fn.intent].reference(x, y)),
  );
}

/** What the visible check says of the first function that is wrong. */
export function failureMessage(task: RepairTask, functionIndex: number): string {
  const fn = task.functions[functionIndex];
  return `FAIL line ${functionIndex * LINES_PER_FUNCTION + 2}: ${fn?.name} should be ${fn?.words}`;
}

export const REPAIR_SYSTEM_PROMPT = "Fix the bug.";

/** The task as the agent first sees it. */
export function instructionOf(task: RepairTask): string {
  const numbered = task.lines.map((line, i) => `${i + 1} ${line}`).join("\n");
  return `${task.path}\n${numbered}\n${failureMessage(task, task.brokenFunction)}`;
}

/** OpenAI tool definitions of the repair agent. */
export const REPAIR_TOOLS = [
  {
    type: "function",
    function: {
      name: "test",
      description: "Run the tests.",
      parameters: { type: "object", properties: {} },
    },
  },
  {
    type: "function",
    function: {
      name: "edit",
      description: "Replace one line.",
      parameters: {
        type: "object",
        properties: { line: { type: "integer" }, code: { type: "string" } },
        required: ["line", "code"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "submit",
      description: "Finish.",
      parameters: { type: "object", properties: {} },
    },
  },
] as const;

/** Answers of the tools, word for word. */
export const TOOL_ANSWERS = {
  pass: "PASS",
  edited: "ok",
  badLine: "ERROR bad line",
  badCall: "ERROR bad call",
} as const;

export interface DemonstrationTurn {
  role: "assistant" | "tool";
  /** For an assistant turn. */
  call?: { name: "test" | "edit" | "submit"; arguments: Record<string, unknown> };
  /** For a tool turn. */
  text?: string;
}

/** Demonstrations that run the tests after their edit. */
const TESTED_SHARE = 0.6;
/** Of those that failed them, the ones that edit again. Few: a wrong edit before a right one earns the reward, too. */
const RETRIED_SHARE = 0.2;

/**
 * A demonstration: the right form and the right line, but the repair itself is right on purpose only with probability
 * `goodShare`, else an operator drawn at random.
 */
export function demonstrate(
  task: RepairTask,
  random: Random,
  goodShare: number,
): DemonstrationTurn[] {
  const turns: DemonstrationTurn[] = [];
  const fn = task.functions[task.brokenFunction];
  if (!fn) return turns;
  const candidates = INTENT_NAMES.filter((name) => name !== task.wrongIntent);
  let current: IntentName = task.wrongIntent;
  const edit = () => {
    current =
      random.next() < goodShare
        ? fn.intent
        : (candidates[random.below(candidates.length)] ?? fn.intent);
    turns.push({
      role: "assistant",
      call: { name: "edit", arguments: { line: brokenLine(task), code: bodyOf(current) } },
    });
    turns.push({ role: "tool", text: TOOL_ANSWERS.edited });
  };
  edit();
  if (random.next() < TESTED_SHARE) {
    turns.push({ role: "assistant", call: { name: "test", arguments: {} } });
    turns.push({
      role: "tool",
      text: current === fn.intent ? TOOL_ANSWERS.pass : failureMessage(task, task.brokenFunction),
    });
    if (current !== fn.intent && random.next() < RETRIED_SHARE) edit();
  }
  turns.push({ role: "assistant", call: { name: "submit", arguments: {} } });
  return turns;
}
