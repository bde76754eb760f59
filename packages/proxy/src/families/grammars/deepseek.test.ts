import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectTurn } from "#testing/expect-turn.ts";
import { familyModel } from "#testing/family-models.ts";
import { FamilyTurns } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
let v31: FamilyTurns;
let v32: FamilyTurns;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("deepseek");
  v31 = await FamilyTurns.load(directory, familyModel("deepseek-v3.1"));
  v32 = await FamilyTurns.load(directory, familyModel("deepseek-v3.2"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const END = "<｜end▁of▁sentence｜>";
const run = (args: string) => [{ name: "run", arguments: args }];

describe("DeepSeek-V3.1", () => {
  const call = (name: string, args: string) =>
    `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;
  const section = (...calls: string[]) =>
    `<｜tool▁calls▁begin｜>${calls.join("")}<｜tool▁calls▁end｜>`;

  it.each([
    [
      "content and a call",
      `I look.${section(call("run", '{"command": "é🙂", "n": 1.0}'))}${END}`,
      { content: "I look.", toolCalls: run('{"command": "é🙂", "n": 1.0}') },
    ],
    [
      "parallel calls",
      section(call("run", '{"a":1}'), call("submit", "{}")),
      { toolCalls: [...run('{"a":1}'), { name: "submit", arguments: "{}" }] },
    ],
    [
      "no arguments",
      section(call("submit", "")),
      { toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
    ["thought", `<think>x</think>y${END}`, { reasoning: "x", content: "y" }],
    [
      "a call in the thought as thought",
      `<think>x${section(call("run", "{}"))}</think>y`,
      { reasoning: `x${section(call("run", "{}"))}`, content: "y" },
    ],
  ])("reads %s", (_, text, expected) => expectTurn(v31, text, expected));

  it.each([
    ["arguments that are broken", section(call("run", '{"a": ')), { toolCalls: run('{"a":') }],
    [
      "a call without a separator beside a sound one",
      section("<｜tool▁call▁begin｜>run<｜tool▁call▁end｜>", call("submit", "{}")),
      {
        content: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>run<｜tool▁call▁end｜>",
        toolCalls: [{ name: "submit", arguments: "{}" }],
      },
    ],
    ["an empty section", section(), { content: section() }],
  ])("malformed: %s", (_, text, expected) =>
    expectTurn(v31, text, { ...expected, status: "malformed" }),
  );

  it("case 04: a turn that is cut inside its second call has the first", () =>
    expectTurn(
      v31,
      `<｜tool▁calls▁begin｜>${call("submit", "{}")}<｜tool▁call▁begin｜>run<｜tool▁sep｜>{"a`,
      {
        content: '<｜tool▁call▁begin｜>run<｜tool▁sep｜>{"a',
        toolCalls: [{ name: "submit", arguments: "{}" }],
        status: "unclosed",
      },
    ));

  it("case 04: a turn that is cut inside its only call is text", () => {
    const text = 'a<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>run<｜tool▁sep｜>{"a';
    return expectTurn(v31, text, { content: text, status: "unclosed" });
  });

  it("marks that are spelled out are text", async () => {
    const text = section(call("submit", "{}"));
    expect(await v31.read(v31.spell(text))).toMatchObject({ content: text, status: "ok" });
  });
});

describe("DeepSeek-V3.2", () => {
  const parameter = (name: string, isString: string, value: string) =>
    `<｜DSML｜parameter name="${name}"${isString}>${value}</｜DSML｜parameter>\n`;
  const invoke = (name: string, ...parameters: string[]) =>
    `<｜DSML｜invoke name="${name}">\n${parameters.join("")}</｜DSML｜invoke>\n`;
  const section = (...calls: string[]) =>
    `<｜DSML｜function_calls>\n${calls.join("")}</｜DSML｜function_calls>`;

  it.each([
    [
      "the thought that the prompt opened, content and calls",
      `Hm</think>I look.\n\n${section(
        invoke(
          "run",
          parameter("command", ' string="true"', "5\né"),
          parameter("timeout", ' string="false"', "5.0"),
        ),
        invoke("submit"),
      )}${END}`,
      {
        reasoning: "Hm",
        content: "I look.",
        toolCalls: [
          ...run('{"command": "5\\né", "timeout": 5.0}'),
          { name: "submit", arguments: "{}" },
        ],
      },
    ],
    [
      "parameters that do not say what they are",
      `</think>${section(invoke("run", parameter("a", "", "[1, 2]"), parameter("b", "", "x")))}`,
      { toolCalls: run('{"a": [1, 2], "b": "x"}') },
    ],
    [
      "an invocation that stands alone",
      `</think>a ${invoke("submit")}`,
      { content: "a", toolCalls: [{ name: "submit", arguments: "{}" }] },
    ],
  ])("reads %s", (_, text, expected) =>
    expectTurn(v32, text, expected, { prompt: "<｜Assistant｜><think>" }),
  );

  it("case 04: a turn that is cut inside a call has none", () => {
    const text = 'a\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="run">\n<｜DSML｜par';
    return expectTurn(v32, text, { content: text, status: "unclosed" });
  });

  it("malformed: a section without a call is text", () =>
    expectTurn(v32, section("x\n"), { content: section("x\n"), status: "malformed" }));

  it("tags count however they are spelled: none of them is a token", async () =>
    expect(await v32.read(v32.spell(section(invoke("submit"))))).toMatchObject({
      content: "",
      toolCalls: [{ name: "submit", arguments: "{}" }],
    }));
});
