import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { LOG_LIMITS } from "@liverl/contract/metric";
import type { FastifyInstance } from "fastify";
import type { z } from "zod";

/**
 * Bodies reach the routes of this scope as the bytes that came: what they hold is read in the ingest thread, and clients send JSON
 * under any content type.
 */
export function takeBytes(scope: FastifyInstance, bodyLimit: number = LOG_LIMITS.bodyBytes): void {
  scope.removeAllContentTypeParsers();
  scope.addHook("preParsing", async (request) => {
    if ((request.headers["content-encoding"] ?? "identity") !== "identity")
      throw new AppError("BAD_REQUEST", {
        userMessage: "Compressed bodies are not read here: send it without content-encoding.",
      });
  });
  scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_, body, done) =>
    done(null, body),
  );
}

export function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

/** The JSON of a small body, by its schema. */
export function parseBytes<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const bytes = bytesOf(body);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  let json: unknown;
  try {
    json = JSON.parse(text === "" ? "{}" : text);
  } catch (cause) {
    throw new AppError("BAD_REQUEST", { userMessage: "The body is not JSON.", cause });
  }
  return parseInput(schema, json);
}

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError("BAD_REQUEST", { userMessage: faultOf(parsed.error), cause: parsed.error });
}
