import { type LosslessValue, parseLosslessAt, skipSpace } from "#json/parse-lossless.ts";

/** `malformed`: a block that is no call stays text; `unclosed`: the turn ended inside a block, which stays text, too. */
export type ToolCallStatus = "ok" | "malformed" | "unclosed";

export interface ParsedTurn {
  /** Everything that is not a well-formed call, trimmed when there are calls. */
  content: string;
  /** In the order of the text; `arguments` is JSON text as the model wrote it. */
  toolCalls: { name: string; arguments: string }[];
  status: ToolCallStatus;
}

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

/** Reads Hermes' grammar: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, any number of times. */
export function parseToolCalls(text: string): ParsedTurn {
  const toolCalls: ParsedTurn["toolCalls"] = [];
  const kept: string[] = [];
  let status: ToolCallStatus = "ok";
  let at = 0;
  for (;;) {
    const open = text.indexOf(OPEN, at);
    if (open < 0) break;
    kept.push(text.slice(at, open));
    const call = parseBlock(text, open + OPEN.length);
    if (call) {
      toolCalls.push({ name: call.name, arguments: call.arguments });
      at = call.end;
      continue;
    }
    const close = text.indexOf(CLOSE, open);
    status = close < 0 ? "unclosed" : "malformed";
    at = close < 0 ? text.length : close + CLOSE.length;
    kept.push(text.slice(open, at));
  }
  kept.push(text.slice(at));
  const content = kept.join("");
  return { content: toolCalls.length > 0 ? content.trim() : content, toolCalls, status };
}

function parseBlock(
  text: string,
  start: number,
): { name: string; arguments: string; end: number } | null {
  let value: LosslessValue;
  try {
    value = parseLosslessAt(text, start);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const end = skipSpace(text, value.end);
  if (value.kind !== "object" || !text.startsWith(CLOSE, end)) return null;
  const fields = new Map(value.entries);
  const name = fields.get("name");
  const given = fields.get("arguments");
  if (name?.kind !== "string" || name.value === "") return null;
  if (given !== undefined && given.kind !== "object") return null;
  return {
    name: name.value,
    arguments: given ? text.slice(given.start, given.end) : "{}",
    end: end + CLOSE.length,
  };
}
