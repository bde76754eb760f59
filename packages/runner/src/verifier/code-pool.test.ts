import { bodyOf, brokenLine, type RepairTask, repairTask } from "@liverl/contract/repair-task";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourceOf } from "#sandboxes/repair-files.ts";
import { builtEntry } from "#testing/built-entry.ts";
import { type CodePool, openCodePool } from "#verifier/code-pool.ts";
import { verifyRepair } from "#verifier/verify-repair.ts";

const task = repairTask(7);
const [first, second] = task.functions;
const fn = task.functions[task.brokenFunction];
if (!first || !second || !fn) throw new Error("the task has two functions");

/** A task's file with `body` where the wrong one was. */
const fileWith = (each: RepairTask, body: string) =>
  sourceOf(each.lines.map((line, i) => (i === brokenLine(each) - 1 ? `  ${body}` : line)));
const repaired = (body: string) => fileWith(task, body);
const right = bodyOf(fn.intent);
const CORRECT = repaired(right);
/** Runs when the file is loaded, before a repair that is right. */
const planted = (code: string) => `${code}\n${CORRECT}`;

let pool: CodePool;

beforeAll(() => {
  pool = openCodePool({ entry: builtEntry("code-worker"), size: 1, warn: expect.fail });
});
afterAll(() => pool.close());

const HOSTILE: [name: string, source: string][] = [
  ["exits", planted("process.exit(0);")],
  [
    "exits through the constructor of this",
    planted("this.constructor.constructor('return process')().exit(0);"),
  ],
  [
    "exits through a function's constructor",
    planted("(function () {}).constructor('return process')().exit(0);"),
  ],
  [
    "exits through an async function's constructor",
    planted("(async () => {}).constructor('return process')();"),
  ],
  [
    "exits through a generator's constructor",
    planted("(function* () {}).constructor('return process')();"),
  ],
  ["imports", planted("import('node:process').then((p) => p.exit(0));")],
  ["imports statically", `import { exit } from "node:process"; exit(0);\n${CORRECT}`],
  ["evaluates text", planted("eval('1');")],
  [
    "reads call sites",
    planted("Error.prepareStackTrace = (_, sites) => sites; new Error().stack[0].getThis();"),
  ],
  [
    "defines call site reading",
    planted("Object.defineProperty(Error, 'prepareStackTrace', { value: (_, s) => s });"),
  ],
  ["throws what looks like a time-out", planted("throw { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' };")],
  ["loops on load", planted("for (;;) {}")],
  ["loops in the function", repaired("for (;;) {}")],
  ["loops in microtasks on load", planted("(async () => { for (;;) await 0; })();")],
  [
    "loops in microtasks of the function",
    repaired(`(async () => { for (;;) await 0; })(); ${right}`),
  ],
  [
    "fills memory with lists",
    planted("const all = []; for (;;) all.push(new Array(1e6).fill(1));"),
  ],
  ["fills 1 GB with one list", planted("const big = new Array(2 ** 27).fill(1.5);")],
  ["allocates an ArrayBuffer of 1 GB", planted("const big = new ArrayBuffer(2 ** 30);")],
  ["allocates typed lists of 1 GB", planted("const big = new Uint8Array(2 ** 30).fill(1);")],
  [
    "doubles a string for ever",
    planted("let s = 'xxxxxxxx'; const all = []; for (;;) { s += s; all.push(s.split('')); }"),
  ],
  ["recurses for ever on load", planted("(function again() { again(); })();")],
  ["patches Object.is", planted("Object.is = () => true;")],
  ["patches Math.max", planted("Math.max = () => 1;")],
  ["replaces Math", planted("globalThis.Math = { max: () => 1, min: () => 1 };")],
  ["declares Math", planted("const Math = { max: () => 1 };")],
  ["patches Array.prototype", planted("Array.prototype.push = () => 0;")],
  ["patches JSON", planted("JSON.stringify = () => '1';")],
  [
    "patches Number.prototype[Symbol.toPrimitive]",
    planted("Number.prototype[Symbol.toPrimitive] = () => 1;"),
  ],
  ["pollutes Object.prototype", planted("Object.prototype.value = 1;")],
  ["redeclares the drive", planted("const $liverlDrive = () => 'n1';")],
  [
    "returns an object with valueOf",
    repaired(`const r = (() => { ${right} })(); return { valueOf: () => r };`),
  ],
  ["returns a boxed value", repaired(`return Object((() => { ${right} })());`)],
  ["returns text", repaired(`return String((() => { ${right} })());`)],
  ["returns a proxy", repaired("return new Proxy({}, { get: () => 1 });")],
  ["returns a promise", repaired(`return (async () => { ${right} })();`)],
  ["throws an object that throws in toString", repaired("throw { toString() { throw this; } };")],
  ["throws null on load", planted("throw null;")],
  [
    "throws a getter trap on load",
    planted("throw { get code() { for (;;); }, get message() { for (;;); } };"),
  ],
  ["hides the function", `${CORRECT}\n${fn.name} = undefined;`],
  ["is no JavaScript", repaired("return a +* b")],
  ["closes the function early", repaired("return 1 } } ) ; (")],
  ["swallows the drive in a comment", `${CORRECT}/*`],
  ["swallows the drive in a text", `${CORRECT}\``],
  ["swallows the drive in a function", `${CORRECT}function hide() {`],
  ["is empty", ""],
  ["is very long", `${CORRECT}//${"x".repeat(30_000)}`],
];

describe("hidden tests", () => {
  it("give 1 to a right repair and 0 to the broken file", async () => {
    expect(await verifyRepair(pool, task, CORRECT)).toMatchObject({ reward: 1, outcome: "passed" });
    const broken = await verifyRepair(pool, task, sourceOf(task.lines));
    expect(broken).toMatchObject({ reward: 0, outcome: "failed" });
    expect(broken.report).toMatch(/FAIL .* expected /);
    const failed = broken.tests.filter(({ isRight }) => !isRight);
    expect(failed.length).toBeGreaterThan(0);
    expect(broken.report).toContain(`FAIL ${failed[0]?.name} = ${failed[0]?.message}\n`);
    expect(broken.report).toContain(
      `${broken.tests.length - failed.length} passed, ${failed.length} failed`,
    );
  });

  it("can be passed whatever the functions are called and should do", async () => {
    const tasks = Array.from({ length: 400 }, (_, seed) => repairTask(seed));
    const verdicts = await Promise.all(
      tasks.map((each) => {
        const { intent } = each.functions[each.brokenFunction]!;
        return verifyRepair(pool, each, fileWith(each, bodyOf(intent)));
      }),
    );
    const failed = tasks.filter((_, i) => verdicts[i]?.reward !== 1);
    expect(failed.map(({ lines }) => lines)).toEqual([]);
  });

  it.each(HOSTILE)(
    "give no reward to a candidate that %s, and 1 to the next right one",
    async (_, source) => {
      // A loop that hardly got the processor is an error of the machine, on one that is busy enough.
      const verdict = await verifyRepair(pool, task, source).catch((error) => {
        if (String(error).includes("too busy")) return { reward: 0, report: "" };
        throw error;
      });
      expect(verdict.reward, verdict.report).toBe(0);
      expect(await verifyRepair(pool, task, CORRECT)).toMatchObject({ reward: 1 });
    },
  );

  it("blames a candidate for an error that it made look like a time-out", async () => {
    const source = planted(
      "throw Object.assign(new Error('late'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });",
    );
    expect(await verifyRepair(pool, task, source)).toMatchObject({ reward: 0, outcome: "threw" });
  });

  it("names what a candidate did", async () => {
    const outcome = async (source: string) => (await verifyRepair(pool, task, source)).outcome;
    expect(await outcome(planted("for (;;) {}"))).toBe("timeout");
    // Whichever limit it meets first.
    expect(["memory", "timeout"]).toContain(
      await outcome(planted("const all = []; for (;;) all.push(new Array(1e6).fill(1.5));")),
    );
    expect(await outcome(planted("throw 1;"))).toBe("threw");
    expect(await outcome(planted("import('x');"))).toBe("tampered");
  });

  it("survive 250 candidates at once, across recycled processes", async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        verifyRepair(pool, task, i % 2 ? CORRECT : sourceOf(task.lines)),
      ),
    );
    expect(verdicts.filter(({ reward }, i) => reward !== i % 2)).toEqual([]);
  });
});
