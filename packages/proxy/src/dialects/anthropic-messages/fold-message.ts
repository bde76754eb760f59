import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { contentText, partText } from "#dialects/content-text.ts";
import { ModelError } from "#dialects/model-error.ts";
import { readRoled } from "#dialects/request-fields.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";

const Block = z.looseObject({ type: z.string(), text: z.string().optional() });
type Block = z.infer<typeof Block>;
const ToolUse = z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() });
const ToolResult = z.looseObject({ tool_use_id: z.string(), content: z.unknown() });
const Thinking = z.looseObject({
  thinking: z.string().default(""),
  signature: z.string().optional(),
});

/**
 * One message of Anthropic's dialect as one or more of a chat template's: tool results become messages of their own,
 * in the order in which they stand.
 */
export function foldMessage(messages: Message[], element: unknown, raw: string): void {
  const param = `messages.${messages.length}`;
  const { role, content } = readRoled(element, param);
  if (typeof content === "string" || content === null || content === undefined) {
    messages.push({ role, content: content ?? null });
    return;
  }
  const blocks = z.array(Block).safeParse(content);
  if (!blocks.success)
    throw ModelError.invalid(`${param}.content`, "Content must be a text or a list of blocks.");
  if (role === "assistant") messages.push(assistantMessage(blocks.data, raw, param));
  else messages.push(...otherMessages(role, blocks.data, param));
}

function assistantMessage(blocks: readonly Block[], raw: string, param: string): Message {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const signatures: string[] = [];
  const calls: unknown[] = [];
  const inputs = blocks.some(({ type }) => type === "tool_use") ? inputTexts(raw) : [];
  for (const [i, block] of blocks.entries()) {
    if (block.type === "tool_use") {
      const { id, name } = checked(ToolUse, block, `${param}.content.${i}`);
      calls.push({ id, type: "function", function: { name, arguments: inputs[i] ?? "{}" } });
    } else if (block.type === "thinking") {
      const { thinking, signature } = checked(Thinking, block, `${param}.content.${i}`);
      if (thinking !== "") thoughts.push(thinking);
      if (signature) signatures.push(signature);
    } else if (block.type !== "redacted_thinking") texts.push(partText(block));
  }
  return {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n"),
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join("\n") } : {}),
    ...(signatures[0] === undefined ? {} : { signature: signatures[0] }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function otherMessages(role: string, blocks: readonly Block[], param: string): Message[] {
  const messages: Message[] = [];
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) messages.push({ role, content: texts.join("\n") });
    texts = [];
  };
  for (const [i, block] of blocks.entries()) {
    if (block.type !== "tool_result") {
      texts.push(partText(block));
      continue;
    }
    flush();
    const place = `${param}.content.${i}`;
    const { tool_use_id, content } = checked(ToolResult, block, place);
    messages.push({
      role: "tool",
      tool_call_id: tool_use_id,
      content: contentText(content, `${place}.content`) ?? "",
    });
  }
  flush();
  // A message without blocks is one all the same.
  return messages.length > 0 ? messages : [{ role, content: "" }];
}

/** The source text of each block's `input`: parsed and printed, numbers and key order would not be the client's. */
function inputTexts(raw: string): (string | undefined)[] {
  const content = fieldOf(parseLossless(raw), "content");
  if (content?.kind !== "array") return [];
  return content.elements.map((block) => {
    const input = fieldOf(block, "input");
    return input ? raw.slice(input.start, input.end) : undefined;
  });
}

function fieldOf(value: LosslessValue, name: string): LosslessValue | undefined {
  return value.kind === "object" ? value.entries.findLast(([key]) => key === name)?.[1] : undefined;
}

function checked<S extends z.ZodType>(schema: S, block: Block, param: string): z.infer<S> {
  const parsed = schema.safeParse(block);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw ModelError.invalid(
    [param, ...(issue?.path ?? [])].join("."),
    issue?.message ?? "The block is not as its type has it.",
  );
}
