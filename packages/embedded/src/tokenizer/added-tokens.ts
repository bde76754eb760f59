/**
 * Tokens that stand for a whole constant string. They occur only in the scaffold that the chat template writes and in
 * what the policy samples, never inside given content, which is encoded without them.
 * The long ones keep sequences short: learning takes seconds because of them.
 */
export const TURN_END = "<|im_end|>";
export const PAD = "<|pad|>";

export const ADDED_TOKENS = [
  PAD,
  "<|im_start|>",
  TURN_END,
  "<|im_start|>system\n",
  "<|im_start|>user\n",
  "<|im_start|>assistant\n",
  "<|im_start|>tool\n",
  '<tool_call>\n{"name": "',
  '", "arguments": {',
  '", "arguments": {}}\n</tool_call>',
  '"line": ',
  ', "code": "',
  '"}}\n</tool_call>',
  "}}\n</tool_call>",
  "\ntest(): Run the tests.",
  "\nedit(line, code): Replace one line.",
  "\nsubmit(): Finish.",
] as const;

const SPECIAL: readonly string[] = [PAD, "<|im_start|>", TURN_END];

export function isSpecial(token: string): boolean {
  return SPECIAL.includes(token);
}
