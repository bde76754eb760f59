import { rm } from "node:fs/promises";
import type { Message } from "@liverl/contract/trajectory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FAMILY_MODELS, type FamilyModel } from "#testing/family-models.ts";
import { FamilyTurns, TURN_TOOLS } from "#testing/family-turns.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

let directory: string;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("real-templates");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const FIRST = { command: "ls -la\ncat 'é🙂.txt'", timeout: 30 };
const SECOND = { env: { A: "1" }, background: false };
const callOf = (name: string, args: unknown) => ({
  id: `functions.${name}:0`,
  type: "function",
  function: { name, arguments: args },
});

const asked: Message[] = [{ role: "user", content: "Go on" }];
const isSingle = ({ family }: FamilyModel) => family === "llama-3" || family === "gpt-oss";
/** Where a template prints the thought of a last turn. */
const hasThought = ({ family }: FamilyModel) =>
  ["qwen3", "qwen3.5", "glm-4.5", "deepseek-v3.2", "minimax-m2", "gpt-oss"].includes(family);

/** What the template writes as the assistant's turn, read back. */
async function readBack(model: FamilyModel, answer: Message) {
  const turns = await FamilyTurns.load(directory, model);
  expect(turns.family.id).toBe(model.family);
  const thought = hasThought(model) ? "Hm,\n\nthe file is empty." : null;
  const message = {
    ...answer,
    ...(thought === null ? {} : { reasoning_content: thought, thinking: thought }),
  };
  const options = { thinking: thought !== null };
  const prompt = turns.render(asked, TURN_TOOLS, true, options);
  const whole = turns.render([...asked, message], TURN_TOOLS, false, options);
  expect(whole.slice(0, prompt.length)).toBe(prompt);
  const { reasoning, ...rest } = await turns.read(whole.slice(prompt.length).trimEnd(), { prompt });
  expect(reasoning).toBe(thought);
  return rest;
}

// llama.cpp's file for Kimi-K2-Thinking changes a list, which transformers' sandbox refuses: kimi-k2.test.ts has its turns.
const withCalls = FAMILY_MODELS.filter(({ template }) => template !== "kimi-k2-thinking");

it.each(withCalls)(
  "$template: calls that its template writes are read as they were",
  async (model) => {
    const content = isSingle(model) ? "" : "Let me look.";
    const calls = [callOf("run", FIRST), ...(isSingle(model) ? [] : [callOf("run", SECOND)])];
    const turn = await readBack(model, { role: "assistant", content, tool_calls: calls });
    expect(turn).toMatchObject({ content, status: "ok" });
    expect(turn.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(
      calls.map((call) => [call.function.name, call.function.arguments]),
    );
  },
);

it.each(FAMILY_MODELS)(
  "$template: an answer that its template writes is content",
  async (model) => {
    const content = "Done: 你好 🙂\n\n- a < b";
    const turn = await readBack(model, { role: "assistant", content });
    expect(turn).toEqual({ content, toolCalls: [], status: "ok" });
  },
);
