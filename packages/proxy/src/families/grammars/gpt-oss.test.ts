import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let oss: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("gpt-oss");
  oss = await FamilyTurns.load(directory, familyModel("gpt-oss"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const prompt = "<|start|>assistant";
const analysis = (text: string) => `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant`;
const run = (args: string) => [{ name: "run", arguments: args }];

describe("gpt-oss", () => {
  it.each([
    [
      "thought and an answer",
      `${analysis("Hm é")}<|channel|>final<|message|>Yes 🙂.<|return|>`,
      { reasoning: "Hm é", content: "Yes 🙂." },
    ],
    [
      "a call as models write it",
      `${analysis("Hm")}<|channel|>commentary to=functions.run <|constrain|>json<|message|>{"command": "ls", "n": 1.0}<|call|>`,
      { reasoning: "Hm", toolCalls: run('{"command": "ls", "n": 1.0}') },
    ],
    [
      "a call as the template writes it",
      ' to=functions.run<|channel|>commentary json<|message|>{"a":1}<|call|>',
      { toolCalls: run('{"a":1}') },
    ],
    [
      "a call in the channel of thought",
      "<|channel|>analysis to=functions.run code<|message|>{}<|call|>",
      { toolCalls: run("{}") },
    ],
    [
      "words to the user before a call",
      "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.run<|message|>{}<|call|>",
      { content: "I look.", toolCalls: run("{}") },
    ],
    [
      "several messages of a sort, each on its own lines",
      `${analysis("a")}${analysis(" b\n")}<|channel|>commentary<|message|>c<|end|><|start|>assistant<|channel|>final<|message|>d<|return|>`,
      { reasoning: "a\nb", content: "c\nd" },
    ],
    ["an answer that is cut", "<|channel|>final<|message|>Yes, ", { content: "Yes, " }],
    ["an answer without a channel", "<|message|>Yes<|return|>", { content: "Yes" }],
    ["an end at once", "<|return|>", {}],
    ["nothing", "", {}],
  ])("reads %s", (_, text, expected) => expectTurn(oss, text, expected, { prompt }));

  it.each([
    [
      "broken arguments",
      '<|channel|>commentary to=functions.run<|message|>{"a<|call|>',
      { toolCalls: run('{"a') },
    ],
    [
      "a call that ends as a message",
      "<|channel|>commentary to=functions.run<|message|>{}<|end|>",
      { toolCalls: run("{}") },
    ],
    [
      "a message to a tool of the model's own",
      "<|channel|>analysis to=python<|message|>1+1<|call|>",
      { content: "<|channel|>analysis to=python<|message|>1+1<|call|>" },
    ],
    [
      "a message that begins before the last one ended",
      "<|channel|>final<|message|>a<|start|>assistant<|channel|>final<|message|>b<|return|>",
      { content: "a\nb" },
    ],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(oss, text, { ...expected, status: "malformed" }, { prompt }),
  );

  it.each([
    ["inside a call", '<|channel|>commentary to=functions.run <|constrain|>json<|message|>{"a'],
    ["inside a header", "<|channel|>comm"],
  ])("case 04: a turn that is cut %s is text", (_, text) =>
    expectTurn(oss, text, { content: text, status: "unclosed" }, { prompt }),
  );

  it("case 04: a thought that is cut is thought", () =>
    expectTurn(
      oss,
      "<|channel|>analysis<|message|>Hm, ",
      { reasoning: "Hm,", status: "unclosed" },
      { prompt },
    ));

  it("goes on in the channel that the prompt opened", () =>
    expectTurn(
      oss,
      `x<|end|>${prompt}<|channel|>final<|message|>y`,
      { reasoning: "x", content: "y" },
      {
        prompt: `${prompt}<|channel|>analysis<|message|>`,
      },
    ));

  it("without tools a call is text", () => {
    const text = "<|channel|>commentary to=functions.run<|message|>{}<|call|>";
    return expectTurn(oss, text, { content: text, status: "malformed" }, { prompt, tools: null });
  });

  it("marks that are spelled out are text of the open message", async () => {
    const ids = [
      ...(await oss.encode("<|channel|>final<|message|>")),
      ...oss.spell("a<|end|><|start|>"),
      ...(await oss.encode("<|return|>")),
    ];
    expect(await oss.read(ids, { prompt })).toMatchObject({ content: "a<|end|><|start|>" });
  });
});
