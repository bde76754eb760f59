import { join } from "node:path";
import { createInterface } from "node:readline";
import { AuditedCall, recomputeDifferences, WeightsOfVersions } from "#audit/recompute-logprobs.ts";
import { Learner } from "#learner/learner.ts";
import { initialParameters } from "#model/parameters.ts";
import { readModelFolder } from "#model/read-model-folder.ts";

// `node dist/audit-logprobs.mjs`: JSON lines of calls on stdin; one line {"maxDiff": n} back for each, in order.
const BATCH = 256;
/** JSON has no Infinity: what can not be scored, or whose lists do not fit together, is as far off as a number can be. */
const FARTHEST = Number.MAX_VALUE;

let opened: { learner: Learner; weights: WeightsOfVersions } | null = null;

/** Null for a line that asks about no call. */
function parseCall(line: string): AuditedCall | null {
  try {
    return AuditedCall.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

async function answer(lines: readonly string[]): Promise<void> {
  const asked = lines.map(parseCall);
  const differences = await score(asked.filter((call) => call !== null));
  const text = asked.map((call) => {
    const maxDiff = call ? (differences.shift() ?? FARTHEST) : FARTHEST;
    return `${JSON.stringify({ maxDiff: Number.isFinite(maxDiff) ? maxDiff : FARTHEST })}\n`;
  });
  process.stdout.write(text.join(""));
}

async function score(calls: readonly AuditedCall[]): Promise<number[]> {
  const first = calls[0];
  if (!first) return [];
  if (!opened) {
    const { config } = await readModelFolder(join(first.runDir, "model"));
    opened = {
      learner: await Learner.open(config, initialParameters(config, 0), 1),
      weights: new WeightsOfVersions(config),
    };
  }
  return recomputeDifferences(calls, opened.learner, opened.weights);
}

let pending: string[] = [];
let work = Promise.resolve();
let flush: NodeJS.Timeout | null = null;
function enqueue(): void {
  const lines = pending;
  pending = [];
  if (flush) clearTimeout(flush);
  flush = null;
  work = work
    .then(() => answer(lines))
    .catch((error) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    });
}
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  pending.push(line);
  // A caller that waits for each answer gets it soon; one that streams gets full batches.
  if (pending.length >= BATCH) enqueue();
  else flush ??= setTimeout(enqueue, 20);
}
enqueue();
await work;
process.exit(0);
