import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Message } from "@liverl/contract/trajectory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LoadOptions, loadRenderer } from "#renderer/load-renderer.ts";
import { parseTools } from "#renderer/template-values.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";
import { tokensOfTemplate } from "#testing/tokens-of-template.ts";
import { writeModelFolder } from "#testing/write-model-folder.ts";

let directory: string;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("real-templates");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function load(name: string, options: LoadOptions = {}) {
  const path = join(import.meta.dirname, "../testing/templates", `${name}.jinja`);
  const template = await readFile(path, "utf8");
  const folder = join(directory, name);
  const tokens = tokensOfTemplate(name, template);
  const added = await writeModelFolder(folder, { template, tokens });
  return { renderer: await loadRenderer(folder, options), added };
}

const call = (name: string, id = "call00001") => ({
  id,
  type: "function",
  function: { name, arguments: '{"line": 1}' },
});
const TOOLS = parseTools(
  '[{"type": "function", "function": {"name": "run", "description": "Runs.", "parameters": {"type": "object", "properties": {"line": {"type": "integer"}}}}}]',
);
const thinking = (content: string, more: Record<string, unknown> = {}): Message => ({
  role: "assistant",
  content,
  reasoning_content: "a thought",
  ...more,
});

describe("start-up check", () => {
  it.each([
    ["qwen2.5", "hermes", "never", true],
    ["qwen3", "qwen3", "user-turn", true],
    ["qwen3-instruct-2507", "hermes", "never", true],
    ["qwen3-coder", "qwen3-coder", "never", true],
    ["qwen3.5", "qwen3.5", "user-turn", false],
    ["qwen3.8", "qwen3.5", "never", false],
    ["glm-4.5", "glm-4.5", "user-turn", true],
    ["glm-4.6", "glm-4.5", "user-turn", true],
    ["glm-4.7", "glm-4.5", "user-turn", true],
    ["deepseek-v3.1", "deepseek-v3.1", "never", false],
    ["deepseek-v3.2", "deepseek-v3.2", "every-turn", false],
    ["kimi-k2", "kimi-k2", "never", true],
    ["minimax-m2", "minimax-m2", "user-turn", false],
    ["gpt-oss", "gpt-oss", "user-turn", false],
    ["llama-3.1", "llama-3", "never", true],
    ["llama-3.2", "llama-3", "never", true],
  ])(
    "proves %s: family %s, drops earlier thought %s, late system in place %s",
    async (name, family, drop, takesLateSystem) => {
      const { renderer } = await load(name);
      expect(renderer.identity.family).toBe(family);
      expect(renderer.proof).toMatchObject({ drop, takesLateSystem });
    },
  );

  it.each([
    ["mistral-nemo", "what follows an assistant turn depends on all before it"],
    ["command-r7b", "an earlier part changes as the conversation grows"],
    ["gemma-4", "an earlier part changes"],
    ["kimi-k2-thinking", "append is not safe"],
  ])("refuses %s, whose form can not be proven: %s", async (name, why) => {
    const family = name.startsWith("kimi") ? null : "plain";
    await expect(load(name, { family })).rejects.toThrow(why);
  });

  it("refuses a grammar that is not known", async () => {
    await expect(load("ministral-3")).rejects.toThrow("grammar that is not known");
  });
});

describe("thought", () => {
  const user: Message[] = [{ role: "user", content: "next" }];
  const result: Message[] = [{ role: "tool", tool_call_id: "call00001", content: "ok" }];

  it("case 01: a held path keeps its thought, whatever the template would drop", async () => {
    const { renderer, added } = await load("qwen3");
    const held = { sampled: [thinking("a")], lastId: added["<|im_end|>"] };
    const bridge = await renderer.renderSuffix(held, user, null);
    expect(renderer.decode(bridge.ids ?? [])).toBe(
      "\n<|im_start|>user\nnext<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it.each(["template", "tool-cycle"] as const)(
    "case 01: under '%s' a strip is a declared fork at a user turn",
    async (retention) => {
      const { renderer, added } = await load("qwen3", { thinkingRetention: retention });
      const turn = thinking("", { tool_calls: [call("run")] });
      const held = { sampled: [turn], lastId: added["<|im_end|>"] };
      expect((await renderer.renderSuffix(held, result, TOOLS)).fork).toBeNull();
      expect((await renderer.renderSuffix(held, [...result, ...user], TOOLS)).fork).toBe(
        "thinking-stripped",
      );
      const anew = [{ role: "user", content: "q" }, thinking("a"), ...user];
      expect(renderer.decode(await renderer.renderRoot(anew, null))).not.toContain("a thought");
      const silent = { sampled: [{ role: "assistant", content: "a" }], lastId: held.lastId };
      expect((await renderer.renderSuffix(silent, user, null)).fork).toBeNull();
    },
  );

  it("case 01: 'tool-cycle' strips where the template would not", async () => {
    const { renderer } = await load("qwen3.8", { thinkingRetention: "tool-cycle" });
    const turn = thinking("", { tool_calls: [call("run")] });
    const cycle = [{ role: "user", content: "q" }, turn, ...result];
    expect(renderer.decode(await renderer.renderRoot(cycle, TOOLS))).toContain("a thought");
    expect(renderer.decode(await renderer.renderRoot([...cycle, ...user], TOOLS))).not.toContain(
      "a thought",
    );
  });

  it("case 01: a template that drops thought at once forks at every turn under 'template'", async () => {
    const { renderer, added } = await load("qwq", { thinkingRetention: "template" });
    const turn = thinking("", { tool_calls: [call("run")] });
    const held = { sampled: [turn], lastId: added["<|im_end|>"] };
    expect((await renderer.renderSuffix(held, result, TOOLS)).fork).toBe("thinking-stripped");
  });

  it.each(["reasoning_content", "thinking", "reasoning"])(
    "case 22: thought is rendered from the field %s",
    async (field) => {
      const { renderer } = await load("qwen3");
      const turn = { role: "assistant", content: "", [field]: "hm", tool_calls: [call("run")] };
      const messages = [{ role: "user", content: "q" }, turn, ...result];
      expect(renderer.decode(await renderer.renderRoot(messages, TOOLS))).toContain(
        "<think>\nhm\n</think>",
      );
    },
  );
});

describe("ends of turns", () => {
  it("case 03: GLM's stop token opens the next turn and is not repeated", async () => {
    const { renderer, added } = await load("glm-4.5");
    const turn = { role: "assistant", content: "", tool_calls: [call("run")] };
    const following = async (lastId: number | undefined, role: string) => {
      const message = { role, content: "ok", tool_call_id: "call00001" };
      const bridge = await renderer.renderSuffix({ sampled: [turn], lastId }, [message], TOOLS);
      return bridge.ids ? renderer.decode(bridge.ids) : bridge.fork;
    };
    expect(await following(added["<|observation|>"], "tool")).toMatch(/^\n<tool_response>\nok/);
    expect(await following(added["<|user|>"], "user")).toMatch(/^\nok/);
    expect(await following(65, "user")).toMatch(/^<\|user\|>\nok/);
    expect(await following(added["<|user|>"], "tool")).toBe("seam-unsafe");
  });

  it.each([
    ["gpt-oss", "<|return|>", "<|end|>"],
    ["gpt-oss", "<|end|>", "<|end|>"],
    ["llama-3.1", "<|eom_id|>", "<|eot_id|>"],
    ["qwen2.5", "<|endoftext|>", "<|im_end|>"],
    ["deepseek-v3.1", "<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>"],
  ])("case 03: %s sampled to %s is closed; cut off, %s closes it", async (name, sampled, close) => {
    const { renderer, added } = await load(name);
    const turn = [{ role: "assistant", content: "a" }];
    const user = [{ role: "user", content: "x" }];
    const ended = await renderer.renderSuffix(
      { sampled: turn, lastId: added[sampled] },
      user,
      null,
    );
    const cut = await renderer.renderSuffix({ sampled: turn, lastId: 65 }, user, null);
    expect(cut.ids?.[0]).toBe(added[close]);
    expect(ended.ids).toEqual(cut.ids?.slice(1));
  });

  it("case 07: results name the calls that they answer, by the held turn's own calls", async () => {
    const { renderer, added } = await load("gpt-oss");
    const turn = { role: "assistant", content: "", tool_calls: [call("run")] };
    const held = { sampled: [turn], lastId: added["<|call|>"] };
    const result = [{ role: "tool", tool_call_id: "call00001", content: "ok" }];
    const { ids } = await renderer.renderSuffix(held, result, TOOLS);
    expect(renderer.decode(ids ?? [])).toBe(
      '<|start|>functions.run to=assistant<|channel|>commentary<|message|>"ok"<|end|><|start|>assistant',
    );
  });
});

describe("system messages", () => {
  const late: Message[] = [
    { role: "system", content: "first" },
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "system", content: "late" },
    { role: "user", content: "c" },
  ];

  it("case 14: a late one stands in its place where the template takes it", async () => {
    const { renderer } = await load("qwen3");
    expect(renderer.decode(await renderer.renderRoot(late, null))).toContain(
      "<|im_start|>system\nlate<|im_end|>\n<|im_start|>user\nc<|im_end|>",
    );
  });

  it("case 14: else it becomes text of the user's turn at its position", async () => {
    const { renderer, added } = await load("qwen3.5");
    const text = renderer.decode(await renderer.renderRoot(late, null));
    expect(text).toContain("<|im_start|>user\nlate\n\nc<|im_end|>");
    expect(text).toContain("<|im_start|>system\nfirst<|im_end|>");
    const held = { sampled: [{ role: "assistant", content: "b" }], lastId: added["<|im_end|>"] };
    const following = async (messages: Message[]) => {
      const { ids } = await renderer.renderSuffix(held, messages, null);
      return renderer.decode(ids ?? []);
    };
    expect(await following(late.slice(3))).toContain("user\nlate\n\nc<|im_end|>");
    expect(await following([{ role: "user", content: "c" }, ...late.slice(3, 4)])).toContain(
      "user\nc\n\nlate<|im_end|>",
    );
    expect(await following(late.slice(3, 4))).toContain("user\nlate<|im_end|>");
  });
});
