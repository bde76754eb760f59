import { readFile } from "node:fs/promises";
import { isMissing } from "@liverl/durable/atomic-file";
import { z } from "zod";
import { SentBody } from "#sessions/sent-body.ts";

/** Beside the trajectory: one line a call, `[callId, SentBody]`. */
export const REQUESTS_FILE = "proxy_requests.jsonl";
const Line = z.tuple([z.number().int(), SentBody]);

export function requestLines(bodies: Iterable<[callId: number, body: SentBody]>): string {
  return [...bodies].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Empty where the file is not there: trajectories of before have none. */
export async function readRequests(path: string): Promise<Map<number, SentBody>> {
  try {
    const text = await readFile(path, "utf8");
    const lines = text.split("\n").filter((line) => line !== "");
    return new Map(lines.map((line) => Line.parse(JSON.parse(line))));
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}
