import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expressionsOf, faultOf, sourceFiles } from "./regular-expressions.mjs";

/** Expressions that are made at run time, with what they are made of. None of it comes from a request, a log, a model or a sandbox. */
const MADE_AT_RUN_TIME: Record<string, string> = {
  "apps/web/src/metrics/prepare-sections.ts": "what its reader types in a page's own search box",
  "packages/proxy/src/renderer/byte-pair-encoder.ts": "ranges of characters, and the tokenizer's",
  "packages/proxy/src/renderer/control-tokens.ts": "alternatives of escaped texts",
  "packages/proxy/src/renderer/split-pattern.ts": "the pre-tokenizer of the model's folder",
  "packages/runner/src/sandboxes/kubernetes/keeper.ts": "one of two words",
  "scripts/python.mjs": "one of four words",
};

/** Judging takes a second for some: what was found stays until the expression changes. Faults are judged anew. */
const CACHE = fileURLToPath(
  new URL("../node_modules/.cache/linear-expressions.json", import.meta.url),
);

function readCache(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(CACHE, "utf8")));
  } catch {
    return new Set();
  }
}

test("every regular expression of the source takes linear time", { timeout: 900_000 }, async () => {
  const all = sourceFiles().flatMap((path) => expressionsOf(path));
  expect(all.length).toBeGreaterThan(500);
  const known = readCache();
  const linear: string[] = [];
  const faults: string[] = [];
  for (const { pattern, flags, place } of all) {
    if (pattern === null || flags === null) {
      if (!((place.split(":")[0] ?? "") in MADE_AT_RUN_TIME))
        faults.push(`${place}: made at run time`);
      continue;
    }
    const key = `/${pattern}/${flags}`;
    const fault = known.has(key) ? null : await faultOf({ pattern, flags });
    if (fault !== null) faults.push(`${place}: ${key} is ${fault}`);
    else {
      known.add(key);
      linear.push(key);
    }
  }
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify([...new Set(linear)]));
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
