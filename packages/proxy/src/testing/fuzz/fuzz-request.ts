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

/** The request of this number: the same every time. One in twelve is valid, one in four has damaged bytes. `paths` chooses dialects. */
export function fuzzRequest(number: number, paths: readonly string[]): FuzzRequest {
  const random = new Random(hash32(`fuzz|${number}`));
  const known = VALID_BODIES.filter(({ path }) => paths.includes(path));
  const chosen = known[random.below(known.length)];
  if (!chosen) throw new Error("no path to fuzz");
  const value = structuredClone(chosen.body);
  const form = random.below(12);
  if (form > 0) mutateValue(random, value);
  let body = Buffer.from(JSON.stringify(value), "utf8");
  if (form > 0 && random.below(4) === 0) body = Buffer.from(mutateBytes(random, body));
  const other =
    random.below(200) === 0 ? VALID_BODIES[random.below(VALID_BODIES.length)] : undefined;
  const path = other && paths.includes(other.path) ? other.path : chosen.path;
  const headers = random.below(20) === 0 ? HEADERS[random.below(HEADERS.length)] : undefined;
  return { path, body, headers: headers ?? {} };
}
