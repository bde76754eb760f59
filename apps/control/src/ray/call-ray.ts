import { readFile } from "node:fs/promises";
import { AppError } from "@liverl/contract/app-error";
import { trimEnd } from "@liverl/contract/trim-end";
import { request } from "undici";
import { outgoing, refuseBarred } from "#outgoing.ts";
import { explainRayError } from "#ray/explain-ray-error.ts";

/** Where a cluster's dashboard answers, and the file with its token; null where it asks for none. */
export interface RayPlace {
  /** `http(s)://host:port`, as the operator gave it. */
  address: string;
  tokenPath: string | null;
}

export interface RayRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON; a Uint8Array goes as it is. */
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 15_000;
/** What a dashboard of thousands of actors may say; more is not read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * One request to Ray's dashboard. Carries our own headers alone: what a browser sent us never goes on, for that would undo
 * Ray's guard against requests of web pages. Redirects are not followed, so that the token goes to the given address only.
 * Throws the AppError of `explainRayError`; UNAVAILABLE where nobody answers.
 */
export async function callRay(
  place: RayPlace,
  path: string,
  { method = "GET", body, timeoutMs = TIMEOUT_MS, signal }: RayRequest = {},
): Promise<string> {
  refuseBarred(place.address);
  const isBytes = body instanceof Uint8Array;
  const headers: Record<string, string> = await rayHeaders(place);
  if (body !== undefined)
    headers["content-type"] = isBytes ? "application/octet-stream" : "application/json";
  const timeout = AbortSignal.timeout(timeoutMs);
  let status: number;
  let text: string;
  try {
    // Not fetch: it sends Sec-Fetch-Mode, by which Ray takes every change for a web page's and refuses it.
    const response = await request(rayUrl(place, path), {
      method,
      headers,
      body: body === undefined ? undefined : isBytes ? Buffer.from(body) : JSON.stringify(body),
      dispatcher: outgoing,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    status = response.statusCode;
    text = await readBounded(response.body);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError("UNAVAILABLE", {
      userMessage: `Ray at ${place.address} does not answer (${reasonOf(error, timeoutMs)}). Check that its dashboard runs there and can be reached from here.`,
      cause: error,
    });
  }
  if (status >= 300 && status < 400)
    throw new AppError("BAD_REQUEST", {
      userMessage: `${place.address} sends requests on to somewhere else (${status}): give the address at which Ray's dashboard itself answers.`,
    });
  if (status < 300) return text;
  throw explainRayError(place, { path, status, text });
}

/** Read at each call, so that a renewed token counts at once. */
export async function rayHeaders({ tokenPath }: RayPlace): Promise<Record<string, string>> {
  // Ray refuses what looks like a browser; the name of a program never does.
  const headers = { "user-agent": "liverl" };
  if (tokenPath === null) return headers;
  const token = await readFile(tokenPath, "utf8").catch((cause: unknown) => {
    throw new AppError("BAD_REQUEST", {
      userMessage: `The token of the Ray cluster can not be read from ${tokenPath}.`,
      cause,
    });
  });
  if (!/^[\x21-\x7e]+$/.test(token.trim()))
    throw new AppError("BAD_REQUEST", {
      userMessage: `${tokenPath} holds no token: one line without blanks is expected.`,
    });
  return { ...headers, authorization: `Bearer ${token.trim()}` };
}

/** A path below the address, which may itself have one (a reverse proxy's). */
export function rayUrl({ address }: Pick<RayPlace, "address">, path: string): string {
  return `${trimEnd(address, "/")}${path}`;
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES)
      throw new AppError("TOO_LARGE", {
        userMessage: `Ray's answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB.`,
      });
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `nothing came in ${timeoutMs / 1000} s`;
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
