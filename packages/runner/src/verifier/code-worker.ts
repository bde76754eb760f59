/**
 * The process that executes candidates' code. It knows arguments and never expected values: the verdict is
 * computed elsewhere. One JSON line in (`{id, source, functionNames, argumentList}`), one out.
 * No third-party import: the permission model lets it read this one file only.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { type CandidateJob, checkOneself, runCandidate } from "#verifier/run-candidate.ts";

const { stdin } = process;
// Nothing of the outer realm should be able to hand out `process`, even if a context were left.
Reflect.deleteProperty(globalThis, "process");

function send(line: object): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  let written = 0;
  while (written < bytes.length) written += writeSync(1, bytes, written);
}

let pending = "";
stdin.setEncoding("utf8");
stdin.on("data", (chunk: string) => {
  pending += chunk;
  for (;;) {
    const end = pending.indexOf("\n");
    if (end < 0) return;
    // Written by our own parent and by nobody else.
    const job = JSON.parse(pending.slice(0, end)) as CandidateJob & { id: number };
    pending = pending.slice(end + 1);
    send({ id: job.id, ...runCandidate(job) });
  }
});
stdin.on("end", () => process.exit(0));
if (checkOneself()) send({ ready: true });
else process.exit(70);
