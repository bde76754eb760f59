import { rm } from "node:fs/promises";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectBeginnings } from "#testing/expect-turn.ts";
import { FAMILY_MODELS, type FamilyModel, familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("any-split");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const FRAGMENTS = [
  '{"name": "run", "arguments": {"command": "',
  '{"name": "run", "parameters": {',
  '"}}',
  "}",
  '"',
  "\\",
  "<function=run>",
  "<parameter=command>",
  "</parameter>",
  "</function>",
  '<invoke name="run">',
  '<parameter name="command">',
  "</invoke>",
  "<｜DSML｜function_calls>",
  '<｜DSML｜invoke name="run">',
  "</｜DSML｜invoke>",
  "</｜DSML｜function_calls>",
  "functions.run:0",
  "assistant to=functions.run",
  "analysis",
  "final",
  "run",
  "\n\n",
  "  ",
  "é🙂",
  "<",
  "</",
  "tool_call>",
];

/** Ids of fragments of grammars, of single bytes, and of the model's control tokens. */
async function idsOf(turns: FamilyTurns, model: FamilyModel) {
  const fragments = [...FRAGMENTS, ...model.plain, ...model.special];
  const encoded = await Promise.all(fragments.map((text) => turns.encode(text)));
  const fragment = fc.oneof(
    fc.constantFrom(...encoded),
    fc.constantFrom(...fragments.map((text) => turns.spell(text))),
    fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 4 }),
  );
  return fc.array(fragment, { maxLength: 24 }).map((parts) => parts.flat());
}

it.each(FAMILY_MODELS)("$template: any split of any ids gives the same turn", async (model) => {
  const turns = await FamilyTurns.load(directory, model);
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(await idsOf(turns, model), sizes, fc.boolean(), async (ids, split, bare) => {
      const given = bare ? { tools: null } : {};
      const whole = await turns.readSplit(ids, [ids.length || 1], given);
      const parts = await turns.readSplit(ids, split, given);
      expect(parts.turn).toEqual(whole.turn);
      expectBeginnings(parts.turn, parts.deltas);
      expectBeginnings(whole.turn, whole.deltas);
      if (bare) expect(parts.turn.toolCalls).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

const HOSTILE_IDS = 50_000;
/** One of each parser, and of tags with a section and without. */
const PARSERS = ["qwen3", "minimax-m2", "gpt-oss", "llama-3.1"].map(familyModel);

it.each(PARSERS)("$family: hostile turns are read in linear time", async (model) => {
  const turns = await FamilyTurns.load(directory, model);
  const opens = ["", ...turns.family.marks.slice(0, 1), '<tool_call>{"name": "'];
  for (const open of opens)
    for (const part of ["\n", "<", '"', ...turns.family.marks.slice(-1)]) {
      const [start, once] = [await turns.encode(open), await turns.encode(part)];
      const parser = await turns.start();
      const startedAt = process.cpuUsage();
      parser.push(start);
      // Token by token, a text that is looked through from its start each time takes many times as long.
      for (let i = 0; i < HOSTILE_IDS; i++) parser.push([once[i % once.length] ?? 0]);
      parser.end();
      expect(process.cpuUsage(startedAt).user / 1e6, `${open} ${part}`).toBeLessThan(3);
    }
});
