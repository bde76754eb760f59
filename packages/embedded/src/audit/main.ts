import { join } from "node:path";
import { createInterface } from "node:readline";
import { AuditedCall, recomputeDifferences, WeightsOfVersions } from "#audit/recompute-logprobs.ts";
import { Learner } from "#learner/learner.ts";
import { initialParameters } from "#model/parameters.ts";
import { readModelFolder } from "#model/read-model-folder.ts";

// `node dist/audit-logprobs.mjs`: JSON lines of calls on stdin; one line {"maxDiff": n} back for each, in order.
const BATCH = 256;

let opened: { learner: Learner; weights: WeightsOfVersions } | null = null;

async function answer(lines: readonly string[]): Promise<void> {
  const calls = lines.map((line) => AuditedCall.parse(JSON.parse(line)));
  const first = calls[0];
  if (!first) return;
  if (!opened) {
    const { config } = await readModelFolder(join(first.runDir, "model"));
    opened = {
      learner: await Learner.open(config, initialParameters(config, 0), 1),
      weights: new WeightsOfVersions(config),
    };
  }
  const differences = await recomputeDifferences(calls, opened.learner, opened.weights);
  // JSON has no Infinity: a call whose lists do not fit together is as far off as a number can be.
  const text = differences.map(
    (maxDiff) =>
      `${JSON.stringify({ maxDiff: Number.isFinite(maxDiff) ? maxDiff : Number.MAX_VALUE })}\n`,
  );
  process.stdout.write(text.join(""));
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
