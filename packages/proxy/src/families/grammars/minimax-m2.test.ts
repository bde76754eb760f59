import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let minimax: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("minimax-m2");
  minimax = await FamilyTurns.load(directory, familyModel("minimax-m2"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const prompt = "]~b]ai\n<think>\n";
const invoke = (name: string, ...pairs: [string, string][]) =>
  `<invoke name="${name}">\n${pairs
    .map(([key, value]) => `<parameter name="${key}">${value}</parameter>\n`)
    .join("")}</invoke>\n`;
const section = (...calls: string[]) =>
  `<minimax:tool_call>\n${calls.join("")}</minimax:tool_call>`;
const run = (args: string) => [{ name: "run", arguments: args }];

describe("MiniMax-M2", () => {
  it.each([
    [
      "the thought that the prompt opened, content and calls",
      `Hm.\n</think>\n\nI look.\n${section(invoke("run", ["command", " ls\n"], ["timeout", "3"]), invoke("submit"))}[e~[`,
      {
        reasoning: "Hm.",
        content: "I look.",
        toolCalls: [
          ...run('{"command": " ls\\n", "timeout": 3}'),
          { name: "submit", arguments: "{}" },
        ],
      },
    ],
    [
      "other quotes, and none",
      `</think>${section("<invoke name='run'><parameter name=command>é🙂</parameter></invoke>")}`,
      { toolCalls: run('{"command": "é🙂"}') },
    ],
    [
      "an invocation that stands alone",
      `</think>a\n${invoke("submit")}b`,
      { content: "a\n\nb", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
    [
      "a section that ends the thought",
      `Hm${section(invoke("submit"))}`,
      { reasoning: "Hm", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
  ])("reads %s", (_, text, expected) => expectTurn(minimax, text, expected, { prompt }));

  it.each([
    ["a section without a call", section("x"), { content: section("x") }],
    [
      "no name",
      section('<invoke name="">\n</invoke>\n'),
      { content: '<minimax:tool_call>\n<invoke name="">\n</invoke>' },
    ],
    [
      "a parameter that is not closed",
      section('<invoke name="run"><parameter name="command">ls</invoke>'),
      { toolCalls: run('{"command": "ls"}') },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(minimax, text, { ...expected, status: "malformed" }),
  );

  it("case 04: a turn that is cut inside a call has none", () => {
    const text = 'a\n<minimax:tool_call>\n<invoke name="run">\n<parameter name="com';
    return expectTurn(minimax, text, { content: text, status: "unclosed" });
  });

  it("a section whose marks are spelled out is text around its calls", async () => {
    const turn = await minimax.read(minimax.spell("a <minimax:tool_call>b"));
    expect(turn).toMatchObject({ content: "a <minimax:tool_call>b", status: "ok" });
  });
});
