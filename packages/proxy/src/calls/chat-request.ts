import type { Message } from "@liverl/contract/trajectory";
import { z } from "zod";
import { canonicalOfParsed } from "#json/canonical-json.ts";
import { isDeeperThan } from "#json/is-deeper-than.ts";
import { type LosslessValue, MAX_DEPTH, parseLossless } from "#json/parse-lossless.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import { OpenAiError } from "#server/openai-error.ts";

const TextPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const Stop = z.union([z.string(), z.array(z.string())]).nullish();

/** The part of OpenAI's chat request that we act on; all else is recorded and ignored. */
const Body = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).min(1),
  tools: z.array(z.looseObject({ type: z.string().optional() })).nullish(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().int().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(5).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  seed: z.number().int().nullish(),
  stop: Stop,
});

export interface ChatRequest {
  messages: Message[];
  hasTools: boolean;
  /** Reads the definitions from the request's text. Null where there are none, or where the client asked for none to be called. */
  readTools(): ToolDefinitions | null;
  /** Equal for definitions that mean the same; empty without tools. */
  toolsKey: string;
  stream: boolean;
  includeUsage: boolean;
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  seed: number | null;
  stop: string[];
  /** Sampling fields as the client sent them. */
  requested: Record<string, unknown>;
}

const REQUESTED = [
  "model",
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "max_tokens",
  "max_completion_tokens",
  "seed",
  "stop",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning_effort",
] as const;

/** Throws OpenAI's 400 for what can not be served. */
export function parseChatRequest(text: string): ChatRequest {
  const body = parseBody(text);
  if ((body.n ?? 1) > 1)
    throw OpenAiError.invalid("n", "Only n = 1 is supported: ask again for another answer.");
  const hasTools = (body.tools?.length ?? 0) > 0 && body.tool_choice !== "none";
  const stop = body.stop ?? [];
  return {
    messages: body.messages.map(readMessage),
    hasTools,
    readTools: () => (hasTools ? losslessTools(text) : null),
    toolsKey: hasTools ? canonicalOfParsed(body.tools) : "",
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    temperature: body.temperature ?? null,
    topP: body.top_p ?? null,
    seed: body.seed ?? null,
    stop: (typeof stop === "string" ? [stop] : stop).filter((word) => word !== ""),
    requested: Object.fromEntries(
      REQUESTED.flatMap((key) =>
        body[key] === undefined || body[key] === null ? [] : [[key, body[key]]],
      ),
    ),
  };
}

function parseBody(text: string): z.infer<typeof Body> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw OpenAiError.invalid(
      null,
      `The body is not JSON: ${error instanceof Error ? error.message : "unreadable"}`,
    );
  }
  // All that reads the request after this recurses.
  if (isDeeperThan(value, MAX_DEPTH))
    throw OpenAiError.invalid(null, `The body is nested more than ${MAX_DEPTH} levels deep.`);
  const parsed = Body.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw OpenAiError.invalid(
    issue?.path.join(".") ?? null,
    issue?.message ?? "The request is not a chat request.",
  );
}

/** Content as one text; `developer` is what newer clients call `system`. */
function readMessage(sent: { role: string; content?: unknown }, index: number): Message {
  const role = sent.role === "developer" ? "system" : sent.role;
  if (sent.content === null || sent.content === undefined) return { ...sent, role, content: null };
  if (typeof sent.content === "string") return { ...sent, role };
  const parts = z.array(TextPart).safeParse(sent.content);
  if (!parts.success)
    throw OpenAiError.invalid(`messages.${index}.content`, "Only text content is supported.");
  return { ...sent, role, content: parts.data.map((part) => part.text).join("\n") };
}

/** The tools as the client wrote them: `JSON.parse` would lose number text and key order. */
function losslessTools(text: string): ToolDefinitions {
  const body = parseTools(text);
  const tools =
    body.kind === "object" ? body.entries.findLast(([key]) => key === "tools")?.[1] : undefined;
  if (tools?.kind !== "array") throw OpenAiError.invalid("tools", "tools must be an array.");
  return { text: text.slice(tools.start, tools.end), value: tools };
}

function parseTools(text: string): LosslessValue {
  try {
    return parseLossless(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw OpenAiError.invalid("tools", `The tools can not be read: ${error.message}`);
  }
}
