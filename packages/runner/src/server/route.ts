import type { IncomingMessage } from "node:http";
import type { RunnerContext } from "#context.ts";
import type { Answer } from "#server/http-answer.ts";

export interface Asked {
  request: IncomingMessage;
  /** Decoded groups of the route's pattern. */
  parameters: string[];
  query: URLSearchParams;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

export interface Route {
  method: string;
  pattern: RegExp;
  answer: (ctx: RunnerContext, asked: Asked) => Promise<Answer>;
  /** Who may ask it besides the admin: a trainer, or a runner that joined, on another machine. */
  opensTo?: "trainer" | "joined";
}
