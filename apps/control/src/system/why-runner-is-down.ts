import { join } from "node:path";
import { parseLogLine } from "#logs/parse-log-line.ts";
import { readTail } from "#logs/read-tail.ts";

const TAIL_BYTES = 64 * 1024;
const LONGEST = 600;

/** The last fatal line of the runner's log, which says why it does not start; null where it was ready after that. */
export async function whyRunnerIsDown(dataDir: string): Promise<string | null> {
  const path = join(dataDir, "logs/runner.log");
  const lines = (await readTail(path, TAIL_BYTES)).split("\n").filter((line) => line !== "");
  for (const raw of lines.reverse()) {
    const { level, text } = parseLogLine(0, raw);
    if (text.startsWith("runner ready")) return null;
    if (level === "fatal") return `${reasonOf(raw) ?? text.slice(0, LONGEST)} (${path})`;
  }
  return null;
}

/** The error's own message, without its stack. */
function reasonOf(raw: string): string | null {
  try {
    const { err } = JSON.parse(raw);
    const message = err?.userMessage ?? err?.message;
    return typeof message === "string" ? message.slice(0, LONGEST) : null;
  } catch {
    return null;
  }
}
