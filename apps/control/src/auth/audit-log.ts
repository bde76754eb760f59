import { appendFile } from "node:fs/promises";
import type { Logger } from "pino";

/** What somebody did, or was refused. */
export interface AuditEntry {
  actor: string | null;
  /** Where the request came from. */
  address: string | null;
  /** Name of the operation, as in the API. */
  act: string;
  /** What it was done to; never a secret. */
  target: Record<string, string | number>;
  ok: boolean;
}

/** Fields of an input that name what an act is about. */
const NAMING = [
  ...["id", "name", "project", "runId", "rolloutId", "sessionId", "eventId", "step", "scope"],
  ...["metric", "when", "path", "source"],
];
const MOST_CHARS = 300;

/** The names in an input, and none of its other values. Pure. */
export function targetOf(input: unknown): AuditEntry["target"] {
  if (typeof input !== "object" || input === null) return {};
  return Object.fromEntries(
    Object.entries(input).flatMap(([key, value]): [string, string | number][] => {
      if (!NAMING.includes(key)) return [];
      if (typeof value === "number") return [[key, value]];
      return typeof value === "string" ? [[key, value.slice(0, MOST_CHARS)]] : [];
    }),
  );
}

/** One line of JSON an act, in a file that only grows and that only LiveRL's user reads. */
export class AuditLog {
  readonly #path: string;
  readonly #log: Logger;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Resolves once the line is written. A failed write does not undo the act; control's log reports it. */
  write(entry: AuditEntry): Promise<void> {
    const line = `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`;
    this.#writing = this.#writing
      .then(() => appendFile(this.#path, line, { mode: 0o600 }))
      .catch((error: unknown) => this.#log.error({ err: error, ...entry }, "not in the audit log"));
    return this.#writing;
  }
}
