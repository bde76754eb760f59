import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { chooseFamily } from "#families/choose-family.ts";
import { FAMILY_MODELS } from "#testing/family-models.ts";

const TEMPLATES = join(import.meta.dirname, "..", "testing", "templates");
const HARMONY = [
  {
    id: 1,
    content: "<|channel|>",
    special: true,
    lstrip: false,
    rstrip: false,
    single_word: false,
  },
];

async function choiceOf(name: string) {
  const template = await readFile(join(TEMPLATES, `${name}.jinja`), "utf8");
  return chooseFamily({ template, addedTokens: HARMONY });
}

it.each(FAMILY_MODELS)("$template speaks $family", async ({ template, family }) => {
  const choice = await choiceOf(template);
  expect([choice.family.id, choice.refusal]).toEqual([family, null]);
});

it("of all other real templates, those that are not refused speak the grammar they are taken for", async () => {
  const known = new Set(FAMILY_MODELS.map(({ template }) => template));
  const names = (await readdir(TEMPLATES))
    .filter((file) => file.endsWith(".jinja"))
    .map((file) => basename(file, ".jinja"))
    .filter((name) => !known.has(name));
  const choices: Record<string, string> = {};
  for (const name of names) {
    const { family, refusal } = await choiceOf(name);
    if (refusal === null) choices[name] = family.id;
  }
  expect(choices).toEqual({
    "gemma-2": "plain",
    "gemma-3": "plain",
    "granite-4.0": "hermes",
    "hermes-3": "hermes",
    "kimi-k2-instruct": "kimi-k2",
    "llama-3": "plain",
    "nemotron-3": "qwen3.5",
    "phi-3": "plain",
    "phi-3.5": "plain",
    "qwen3-instruct-2507": "hermes",
    "qwen3.6": "qwen3.5",
    "qwen3.8": "qwen3.5",
    qwq: "qwen3",
  });
});

it("a family that is named wins over the evidence", () => {
  const evidence = { template: "{{ tools }}", addedTokens: [] };
  expect(chooseFamily(evidence, "kimi-k2")).toMatchObject({
    family: { id: "kimi-k2" },
    refusal: null,
  });
});

it.each([
  ["a grammar that nobody knows", null, "grammar that is not known"],
  ["a name that nobody has", "qwen9", 'there is no model family "qwen9": known are hermes, '],
])("%s is refused with the reason, and plain stands in", (_, wanted, why) => {
  const choice = chooseFamily({ template: "{{ tools }}", addedTokens: [] }, wanted);
  expect(choice.family.id).toBe("plain");
  expect(choice.refusal).toContain(why);
});
