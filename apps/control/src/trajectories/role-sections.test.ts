import { expect, test } from "vitest";
import { roleSections, templateText } from "#trajectories/role-sections.ts";

const embedded = [
  ...["<|im_start|>system\n", "Fix", " it", "\ntest(): Run.", "<|im_end|>", "\n"],
  ...["<|im_start|>user\n", "system", "<|im_end|>", "\n", "<|im_start|>assistant\n"],
];
const qwen = ["<|im_start|>", "system", "\n", "Be good.\n\n# Tools\n{}", "<|im_end|>", "\n"].concat(
  ["<|im_start|>", "user", "\n", "Hi", "<|im_end|>", "\n"],
);
const llama = [
  ...[
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "system",
    "<|end_header_id|>",
    "\n\n",
    "Be good.",
  ],
  ...["<|eot_id|>", "<|start_header_id|>", "user", "<|end_header_id|>", "\n\n", "Hi", "<|eot_id|>"],
];
const partsOf = (texts: string[]) =>
  roleSections(texts, "user").map(({ role, from, to }) => [role, texts.slice(from, to).join("")]);

test("headers tell the roles, words in a message do not", () => {
  expect(partsOf(embedded)).toEqual([
    ["system", "<|im_start|>system\nFix it\ntest(): Run.<|im_end|>\n"],
    ["user", "<|im_start|>user\nsystem<|im_end|>\n"],
    ["assistant", "<|im_start|>assistant\n"],
  ]);
  expect(partsOf(qwen).map(([role]) => role)).toEqual(["system", "user"]);
  expect(partsOf(llama)).toEqual([
    ["user", "<|begin_of_text|>"],
    ["system", "<|start_header_id|>system<|end_header_id|>\n\nBe good.<|eot_id|>"],
    ["user", "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"],
  ]);
});

test("other families' headers tell the roles, and a user's word after a token that opens nothing does not", () => {
  const glm = ["[gMASK]<sop>", "<|system|>", "\nBe good.", "<|user|>", "\nHi", "<|assistant|>"];
  expect(partsOf(glm).map(([role]) => role)).toEqual(["user", "system", "user", "assistant"]);
  const deepseek = ["<｜begin▁of▁sentence｜>", "Be good.", "<｜User｜>", "Hi", "<｜Assistant｜>"];
  expect(partsOf(deepseek).map(([role]) => role)).toEqual(["user", "assistant"]);
  const gemma = ["<bos>", "<start_of_turn>", "user", "\n", "Hi", "<end_of_turn>"];
  expect(partsOf(gemma).map(([role]) => role)).toEqual(["user"]);
  const harmony = ["<|start|>", "system", "<|message|>", "Be good.", "<|end|>"].concat([
    "<|start|>",
    "user",
    "<|message|>",
    "tool",
    " calls fail",
    "<|end|>",
  ]);
  expect(partsOf(harmony).map(([role]) => role)).toEqual(["system", "user"]);
});

test("without headers all is the node's own role", () => {
  expect(roleSections(["[INST]", "Hi"], "user")).toEqual([{ role: "user", from: 0, to: 2 }]);
  expect(templateText(["[INST]", "Hi"], [])).toBeNull();
});

test("what the template adds to the system's words is told apart from them", () => {
  expect(templateText(embedded, ["Fix it"])).toBe("test(): Run.");
  expect(templateText(qwen, ["Be good."])).toBe("# Tools\n{}");
  expect(templateText(llama, ["Be good."])).toBeNull();
  const tagged = ["<|im_start|>system\n", "Use <|tag|> here", "<|im_end|>"];
  expect(templateText(tagged, ["Use <|tag|> here"])).toBeNull();
});
