import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, type ErrorBody, HTTP_STATUS } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import type { z } from "zod";

const MAX_BODY_BYTES = 1024 * 1024;

export interface Answer {
  status: number;
  content: unknown;
}

/** The request's JSON, parsed by `schema`; BAD_REQUEST names its faults, TOO_LARGE above 1 MB. */
export async function readBody<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.infer<S>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > MAX_BODY_BYTES)
      throw new AppError("TOO_LARGE", { userMessage: "A request has 1 MB at most." });
    chunks.push(bytes);
  }
  return parseInput(schema, parseJson(Buffer.concat(chunks).toString("utf8")));
}

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error) });
}

function parseJson(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw new AppError("BAD_REQUEST", { userMessage: "The request is not JSON.", cause });
  }
}

export function send(response: ServerResponse, { status, content }: Answer): void {
  const isText = typeof content === "string";
  const body = isText ? content : JSON.stringify(content);
  response.writeHead(status, {
    "content-type": isText ? "text/plain; version=0.0.4" : "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** The edge where errors become answers; what is not an AppError tells the caller nothing of its inside. */
export function errorAnswer(error: unknown): Answer {
  const { code, userMessage } =
    error instanceof AppError
      ? error
      : { code: "INTERNAL" as const, userMessage: "The runner failed; its log says why." };
  const content: ErrorBody = { error: { code, message: userMessage } };
  return { status: HTTP_STATUS[code], content };
}
