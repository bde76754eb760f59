import { apiPath, toQuery } from "@liverl/contract/api";
import { ErrorBody } from "@liverl/contract/app-error";
import type { AppRouter } from "@liverl/control/router";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { Server } from "#client/find-server.ts";
import { CliError, EXIT, EXIT_OF_ERROR } from "#exit-code.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type Names<T> = { [N in keyof T & string]: `${N}.${keyof T[N] & string}` }[keyof T & string];
/** `run.get` and its like. */
export type Procedure = Names<Outputs>;
type At<T, P> = P extends `${infer N}.${infer V}`
  ? N extends keyof T
    ? V extends keyof T[N]
      ? T[N][V]
      : never
    : never
  : never;
type InputOf<P> =
  At<Inputs, P> extends infer I ? (I extends void ? Record<string, never> : I) : never;
export type OutputOf<P extends Procedure> = At<Outputs, P>;

/** Preflight of a big spec asks clusters; nothing takes longer. */
const TIMEOUT_MS = 120_000;

/** Control's HTTP API. Every call throws a {@link CliError} whose code says what kind of failure it is. */
export class ApiClient {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  /** A read. */
  get<P extends Procedure>(name: P, input: InputOf<P>): Promise<OutputOf<P>> {
    const query = toQuery(input as Record<string, unknown>).toString();
    return this.#ask<OutputOf<P>>("GET", `${apiPath(name)}${query && `?${query}`}`);
  }

  /** An act, or a read that is posted. */
  post<P extends Procedure>(name: P, input: InputOf<P>): Promise<OutputOf<P>> {
    return this.#ask<OutputOf<P>>("POST", apiPath(name), input);
  }

  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return (await (await this.open(method, path, body)).json()) as T;
  }

  /** Any path; the answer's body as it comes. `signal` ends a stream, which has no time limit. */
  open(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const json = { "content-type": "application/json" };
    return this.#fetch(path, {
      ...{ method, signal: signal ?? AbortSignal.timeout(TIMEOUT_MS) },
      ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
    });
  }

  /** Posts a file as it is read. */
  send(path: string, body: ReadableStream, signal: AbortSignal): Promise<Response> {
    const headers = { "content-type": "application/gzip" };
    // `duplex` is what fetch asks of a body that is a stream; its types do not know it yet.
    return this.#fetch(path, {
      method: "POST",
      headers,
      body,
      signal,
      duplex: "half",
    } as RequestInit);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { url, token } = this.server;
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    const response = await fetch(`${url}${path}`, { ...init, headers }).catch((cause: unknown) => {
      throw away(url, cause);
    });
    if (response.ok) return response;
    throw await refusal(response);
  }
}

function away(url: string, cause: unknown): unknown {
  if (cause instanceof Error && cause.name === "AbortError") return cause;
  const slow = cause instanceof Error && cause.name === "TimeoutError";
  const why = slow ? `did not answer within ${TIMEOUT_MS / 1000} s` : "can not be reached";
  return new CliError(
    EXIT.away,
    `LiveRL at ${url} ${why}: is it running, and is that its address?`,
    {
      cause,
    },
  );
}

/** What Node's server says of an address that is longer than it reads: RFC 9110 and RFC 6585. */
const TOO_LONG = new Set([414, 431]);

async function refusal(response: Response): Promise<CliError> {
  const text = await response.text();
  try {
    const { error } = ErrorBody.parse(JSON.parse(text));
    return new CliError(EXIT_OF_ERROR[error.code], error.message);
  } catch {
    if (TOO_LONG.has(response.status))
      return new CliError(EXIT.usage, "What is asked is too long for an address: ask for less.");
    return new CliError(
      EXIT.fault,
      `${response.url.split("?")[0]} answered ${response.status}, and not as LiveRL does: is that its address?`,
    );
  }
}
