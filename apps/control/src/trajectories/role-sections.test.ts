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

test("without headers all is the node's own role", () => {
  expect(roleSections(["[INST]", "Hi"], "user")).toEqual([{ role: "user", from: 0, to: 2 }]);
  expect(templateText(["[INST]", "Hi"], [])).toBeNull();
});

test("what the template adds to the system's words is told apart from them", () => {
  expect(templateText(embedded, ["Fix it"])).toBe("test(): Run.");
  expect(templateText(qwen, ["Be good."])).toBe("# Tools\n{}");
  expect(templateText(llama, ["Be good."])).toBeNull();
});
