import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let llama: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("llama-3");
  llama = await FamilyTurns.load(directory, familyModel("llama-3.1"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const END = "<|eot_id|>";
const run = (args: string) => [{ name: "run", arguments: args }];

describe("Llama 3.1", () => {
  it.each([
    [
      "a bare call",
      `{"name": "run", "parameters": {"command": "é🙂", "n": 1.0}}${END}`,
      { toolCalls: run('{"command": "é🙂", "n": 1.0}') },
    ],
    [
      "a call behind the tag",
      'I look.\n<|python_tag|>{"name": "run", "parameters": {}}<|eom_id|>',
      { content: "I look.", toolCalls: run("{}") },
    ],
    [
      "several calls",
      '\n{"name": "run", "parameters": {}}; {"type": "function", "name": "submit", "arguments": {}}',
      { toolCalls: [...run("{}"), { name: "submit", arguments: "{}" }] },
    ],
    ["an answer that is JSON", '{"name": "run"}', { content: '{"name": "run"}' }],
    ["an answer that only begins with a brace", "{ a\n", { content: "{ a\n" }],
    [
      "an answer with JSON in it",
      'So: {"name": "run", "parameters": {}}',
      { content: 'So: {"name": "run", "parameters": {}}' },
    ],
    ["white space alone", " \n", { content: " \n" }],
    ["an end at once", END, {}],
  ])("reads %s", (_, text, expected) => expectTurn(llama, text, expected));

  it.each([
    [
      "broken arguments",
      '{"name": "run", "parameters": {"a": 1,}}',
      { toolCalls: run('{"a": 1,}') },
    ],
    [
      "a call of the model's own interpreter",
      '<|python_tag|>brave_search.call(query="x")',
      { content: '<|python_tag|>brave_search.call(query="x")' },
    ],
    [
      "text behind a call",
      '{"name": "run", "parameters": {}} and so on',
      { content: " and so on", toolCalls: run("{}") },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(llama, text, { ...expected, status: "malformed" }),
  );

  it.each([
    ["inside the arguments", '{"name": "run", "parameters": {"a": "b'],
    ["behind the tag", '<|python_tag|>{"name": "ru'],
  ])("case 04: a turn that is cut %s has no call", (_, text) =>
    expectTurn(llama, text, { content: text, status: "unclosed" }),
  );

  it("without tools nothing is a call", () => {
    const text = '{"name": "run", "parameters": {}}';
    return expectTurn(llama, text, { content: text }, { tools: null });
  });

  it("a tag that is spelled out is text", async () => {
    const text = '<|python_tag|>{"name": "run", "parameters": {}}';
    expect(await llama.read(llama.spell(text))).toMatchObject({ content: text, toolCalls: [] });
  });
});
