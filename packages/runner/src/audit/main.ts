/**
 * `node dist/audit.mjs --data-dir D [--run ID] [--json]`: whether every token on record is the token that was sampled.
 * The last line of stdout is the report as JSON; exits 0 only when there are calls and all are exact.
 */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { auditRun } from "#audit/audit-run.ts";
import { latestRun } from "#audit/find-trajectories.ts";

const PROGRESS_MS = 3_000;
const { values } = parseArgs({
  options: {
    "data-dir": { type: "string", default: ".liverl" },
    run: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const dataDir = resolve(values["data-dir"]);
const runId = values.run ?? (await latestRun(dataDir));
if (runId === null) {
  process.stderr.write(
    `There is no run in ${dataDir}: start one first, or name its data directory with --data-dir.\n`,
  );
  process.exit(2);
}
process.stderr.write(`auditing run ${runId}\n`);
let saidAt = Date.now();
const dist = dirname(fileURLToPath(import.meta.url));
const { report, isClean } = await auditRun({
  dataDir,
  runId,
  logprobsEntry: join(dist, "audit-logprobs.mjs"),
  onProgress: ({ calls, tokens }) => {
    if (Date.now() - saidAt < PROGRESS_MS) return;
    saidAt = Date.now();
    process.stderr.write(`${calls} calls, ${tokens} tokens so far\n`);
  },
});
for (const { callId, kind, detail } of report.violations.slice(0, 20))
  process.stderr.write(`${kind} ${callId}: ${detail}\n`);
process.stderr.write(
  `${report.exactCalls} of ${report.calls} calls are exact, ${report.tokens} tokens${
    report.recomputedTokens > 0 ? `, ${report.recomputedTokens} more by recomputed log-probs` : ""
  }\n`,
);
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(isClean ? 0 : 1));
