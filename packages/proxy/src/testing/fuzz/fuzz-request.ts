import { hash32, Random } from "@liverl/contract/random";
import { mutateBytes } from "#testing/fuzz/mutate-bytes.ts";
import { mutateValue } from "#testing/fuzz/mutate-value.ts";
import { VALID_BODIES } from "#testing/fuzz/valid-bodies.ts";

export interface FuzzRequest {
  /** Below `/v1`. */
  path: string;
  body: Buffer;
  headers: Record<string, string>;
}

const HEADERS: readonly Record<string, string>[] = [
  { "x-stainless-retry-count": "1" },
  { "x-stainless-retry-count": "-1" },
  { "content-type": "text/plain" },
  { "anthropic-beta": "a,b", "x-claude-code-agent-id": "agent-1" },
  { "content-encoding": "gzip" },
  { expect: "100-continue" },
];

/** One of so many neighbours is told apart by how far its conversation has grown. */
const GROWING = 8;

/**
 * The request of this number: the same every time. One in twelve is valid, one in four has damaged bytes; runs of eight numbers are
 * one conversation that grows, so that what is kept of a body is fuzzed as well. `paths` chooses dialects.
 */
export function fuzzRequest(number: number, paths: readonly string[]): FuzzRequest {
  const random = new Random(hash32(`fuzz|${number}`));
  const run = Math.floor(number / GROWING);
  // Half of the runs draw their conversation together, the others each request its own.
  const shared = run % 2 === 0 ? new Random(hash32(`run|${run}`)) : random;
  const known = VALID_BODIES.filter(({ path }) => paths.includes(path));
  const chosen = known[shared.below(known.length)];
  if (!chosen) throw new Error("no path to fuzz");
  const value = structuredClone(chosen.body);
  const form = shared.below(12);
  if (form > 0) mutateValue(shared, value);
  if (run % 2 === 0) grow(value, number % GROWING);
  let body = Buffer.from(JSON.stringify(value), "utf8");
  if (form > 0 && random.below(4) === 0) body = Buffer.from(mutateBytes(random, body));
  const headers = random.below(20) === 0 ? HEADERS[random.below(HEADERS.length)] : undefined;
  return { path: chosen.path, body, headers: headers ?? {} };
}

/** Goes on with a conversation, whichever dialect it is in. */
function grow(value: Record<string, unknown>, turns: number): void {
  const held = Array.isArray(value.messages) ? value.messages : value.input;
  if (!Array.isArray(held)) return;
  for (let turn = 0; turn < turns; turn++)
    held.push(
      { role: "assistant", content: `Turn ${turn}, \u00e9 "done".` },
      { role: "user", content: `Go on after ${turn}.` },
    );
}
