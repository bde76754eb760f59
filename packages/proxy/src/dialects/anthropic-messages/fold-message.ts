import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { contentText, partText } from "#dialects/content-text.ts";
import { ModelError } from "#dialects/model-error.ts";
import { checked, readRoled } from "#dialects/request-fields.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";

const Block = z.looseObject({ type: z.string(), text: z.string().optional() });
type Block = z.infer<typeof Block>;
const ToolUse = z.looseObject({ id: z.string(), name: z.string() });
const ToolResult = z.looseObject({
  tool_use_id: z.string(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
const Thinking = z.looseObject({
  thinking: z.string().default(""),
  signature: z.string().optional(),
});

/** Claude Code sends system messages among the others. */
const ROLES = ["user", "assistant", "system"];
/** Calls of the client's tools, and those that Anthropic's servers ran. */
const TOOL_USES = ["tool_use", "server_tool_use", "mcp_tool_use"];
/** Results that say so themselves need no mark. */
const FAILURE = /error|fail|exception|exit code|denied|not found/i;

/**
 * One message of Anthropic's dialect as one or more of a chat template's: tool results become messages of their own,
 * in the order in which they stand.
 */
export function foldMessage(
  messages: Message[],
  element: unknown,
  raw: string,
  index: number,
): void {
  const param = `messages.${index}`;
  const { role, content } = readRoled(element, param, ROLES);
  if (typeof content === "string" || content === null || content === undefined) {
    messages.push({ role, content: content ?? null });
    return;
  }
  const blocks = z.array(Block).safeParse(content);
  if (!blocks.success)
    throw ModelError.invalid(`${param}.content`, "Content must be a text or a list of blocks.");
  if (role === "assistant") messages.push(...assistantMessages(blocks.data, raw, param));
  else messages.push(...otherMessages(role, blocks.data, param));
}

/** What an assistant said up to a result of a tool that a server ran for it, or to the end. */
class Turn {
  readonly texts: string[] = [];
  readonly thoughts: string[] = [];
  readonly signatures: string[] = [];
  readonly calls: unknown[] = [];

  get isEmpty(): boolean {
    return this.texts.length + this.thoughts.length + this.calls.length === 0;
  }

  message(): Message {
    const [signature] = this.signatures;
    return {
      role: "assistant",
      content: this.texts.length === 0 ? null : this.texts.join("\n"),
      ...(this.thoughts.length > 0 ? { reasoning_content: this.thoughts.join("\n") } : {}),
      ...(signature === undefined ? {} : { signature }),
      ...(this.calls.length > 0 ? { tool_calls: this.calls } : {}),
    };
  }
}

function assistantMessages(blocks: readonly Block[], raw: string, param: string): Message[] {
  const messages: Message[] = [];
  let turn = new Turn();
  const inputs = blocks.some(({ type }) => TOOL_USES.includes(type)) ? inputTexts(raw) : [];
  for (const [i, block] of blocks.entries()) {
    const place = `${param}.content.${i}`;
    if (TOOL_USES.includes(block.type)) {
      const { id, name } = checked(ToolUse, block, place);
      turn.calls.push({ id, type: "function", function: { name, arguments: inputs[i] ?? "{}" } });
    } else if (block.type === "thinking") {
      const { thinking, signature } = checked(Thinking, block, place);
      if (thinking !== "") turn.thoughts.push(thinking);
      if (signature) turn.signatures.push(signature);
    } else if (block.type === "redacted_thinking") {
      turn.thoughts.push("[redacted thinking omitted]");
    } else if (block.type.endsWith("tool_result")) {
      if (!turn.isEmpty) messages.push(turn.message());
      turn = new Turn();
      messages.push(toolMessage(block, place));
    } else turn.texts.push(partText(block, place));
  }
  return turn.isEmpty && messages.length > 0 ? messages : [...messages, turn.message()];
}

function otherMessages(role: string, blocks: readonly Block[], param: string): Message[] {
  const messages: Message[] = [];
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) messages.push({ role, content: texts.join("\n") });
    texts = [];
  };
  for (const [i, block] of blocks.entries()) {
    const place = `${param}.content.${i}`;
    if (!block.type.endsWith("tool_result")) {
      texts.push(partText(block, place));
      continue;
    }
    flush();
    messages.push(toolMessage(block, place));
  }
  flush();
  // A message without blocks is one all the same.
  return messages.length > 0 ? messages : [{ role, content: "" }];
}

function toolMessage(block: Block, place: string): Message {
  const { tool_use_id, content, is_error } = checked(ToolResult, block, place);
  const isOfServer = block.type !== "tool_result";
  const text = isOfServer
    ? serverResultText(content)
    : (contentText(content, `${place}.content`) ?? "");
  const isMarked = is_error === true && !FAILURE.test(text);
  return {
    role: "tool",
    tool_call_id: tool_use_id,
    content: isMarked ? `Error: ${text}`.trim() : text,
  };
}

/** What a tool of Anthropic's servers gave: in so many forms that all but text is JSON. */
function serverResultText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = z.array(z.object({ type: z.literal("text"), text: z.string() })).safeParse(content);
  if (parts.success) return parts.data.map(({ text }) => text).join("\n");
  return JSON.stringify(content ?? "", (key, value) =>
    key === "encrypted_content" || key === "encrypted_index" ? undefined : value,
  );
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
