import { stripVTControlCharacters } from "node:util";
import { redactSecrets } from "@liverl/contract/redact-secrets";
import type { LogLine } from "@liverl/contract/views";
import { z } from "zod";
import { levelOfLine } from "#logs/level-of-line.ts";

const PinoLine = z.looseObject({
  level: z.number(),
  time: z.union([z.number(), z.string()]).optional(),
  msg: z.string().optional(),
});
const LEVELS = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
} as const;
/** Said by the line's place already, or shown in columns of their own. */
const LEFT_OUT = new Set(["level", "time", "msg", "pid", "hostname", "name", "v"]);
const MAX_TEXT = 8_000;

/** One line of a log: pino's JSON as level, time and text; anything else as it is, with the level that it names. Control sequences and secrets are taken out. */
export function parseLogLine(offset: number, raw: string): LogLine {
  const record = parsePino(raw);
  if (!record) {
    const text = clean(raw);
    return { offset, at: null, level: levelOfLine(text), text };
  }
  const time = record.time === undefined ? null : new Date(record.time);
  const rest = Object.entries(record).filter(([key]) => !LEFT_OUT.has(key));
  const fields = rest.flatMap(([key, value]) => fieldsOf(key, value));
  return {
    offset,
    at: time && !Number.isNaN(time.getTime()) ? time.toISOString() : null,
    level: LEVELS[record.level as keyof typeof LEVELS] ?? "unknown",
    text: clean([record.msg ?? "", ...fields].filter((part) => part !== "").join("  ")),
  };
}

/** `key=value`; what is in an object stands behind its name, as `result.steps=15`. */
function fieldsOf(key: string, value: unknown): string[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([inner, one]) => fieldsOf(`${key}.${inner}`, one));
  return [`${key}=${typeof value === "string" ? value : JSON.stringify(value)}`];
}

function parsePino(raw: string): z.infer<typeof PinoLine> | null {
  if (!raw.startsWith("{")) return null;
  try {
    return PinoLine.safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

function clean(text: string): string {
  return redactSecrets(stripVTControlCharacters(text.slice(0, MAX_TEXT)));
}
