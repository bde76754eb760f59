import { expect, test } from "vitest";
import { expressionsOf, faultOf, readJudged, sourceFiles } from "./regular-expressions.mjs";

/** Expressions that are made at run time, with what they are made of. None of it comes from a request, a log, a model or a sandbox. */
const MADE_AT_RUN_TIME: Record<string, string> = {
  "apps/control/src/auth/guard.ts": "a constant of another file, anchored at both ends",
  "apps/control/src/verdict/judge-finite.ts": "alternatives of names of the contract",
  "packages/contract/src/run.ts": "a number",
  "packages/proxy/src/renderer/chat-template.ts": "an identifier between word boundaries",
  "scripts/regular-expressions.mjs": "the expression that is judged",
  "apps/web/src/metrics/prepare-sections.ts": "what its reader types in a page's own search box",
  "packages/proxy/src/renderer/byte-pair-encoder.ts": "ranges of characters, and the tokenizer's",
  "packages/proxy/src/renderer/control-tokens.ts": "alternatives of escaped texts",
  "packages/proxy/src/renderer/split-pattern.ts": "the pre-tokenizer of the model's folder",
  "packages/runner/src/sandboxes/kubernetes/keeper.ts": "one of two words",
  "scripts/python.mjs": "one of four words",
};

test("every regular expression of the source takes linear time", { timeout: 900_000 }, async () => {
  const all = sourceFiles().flatMap((path) => expressionsOf(path));
  expect(all.length).toBeGreaterThan(500);
  const judged = new Set(readJudged());
  const faults: string[] = [];
  for (const { pattern, flags, place } of all) {
    if (pattern === null || flags === null) {
      if (!((place.split(":")[0] ?? "") in MADE_AT_RUN_TIME))
        faults.push(`${place}: made at run time`);
      continue;
    }
    const key = `/${pattern}/${flags}`;
    const fault = judged.has(key) ? null : await faultOf({ pattern, flags });
    if (fault !== null) faults.push(`${place}: ${key} is ${fault}`);
  }
  expect(faults).toEqual([]);
});

test.each([
  ["a run that is tried from each of its places", String.raw`\d+$`, ""],
  [
    "Ray's prefix as it was matched before",
    String.raw`^\((?:[^()]|\([^()]*\))*pid=\d+[^)]*\)\s?`,
    "",
  ],
  ["a look-ahead over the rest of the line", String.raw`\bstep:(\d+) - (?=.*\bactor\/)`, ""],
  ["a back-reference", String.raw`<([a-z:]*think[\w:]*)>[\s\S]*?<\/\1>\s*`, "g"],
])("the check finds %s", async (_, pattern, flags) => {
  expect(await faultOf({ pattern, flags })).not.toBeNull();
});

test("the check reads constants, and sees what is made at run time", () => {
  const source =
    'const A = String.raw`\\d+`;\nconst B = new RegExp(`^${A}$`, "i");\nRegExp(given);\n/x/u;';
  expect(expressionsOf("a.ts", source)).toEqual([
    { pattern: "^\\d+$", flags: "i", place: "a.ts:2" },
    { pattern: null, flags: "", place: "a.ts:3" },
    { pattern: "x", flags: "u", place: "a.ts:4" },
  ]);
});
