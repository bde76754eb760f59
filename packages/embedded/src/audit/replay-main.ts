import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { TrainerPlan } from "@liverl/contract/trainer";
import { RecordedUpdate, replayUpdates } from "#audit/replay-updates.ts";

// `node dist/replay-updates.mjs --run-dir DIR --from N --to M`: JSON lines of recorded updates on stdin, in order; one line
// {updates, replayed, saved} back. Exit 0 only if the digests are equal.
const { values } = parseArgs({
  options: { "run-dir": { type: "string" }, from: { type: "string" }, to: { type: "string" } },
});
const { "run-dir": runDir, from, to } = values;
if (!runDir || !from || !to) {
  process.stderr.write("usage: replay-updates --run-dir DIR --from STEP --to STEP\n");
  process.exit(2);
}

async function* recorded() {
  for await (const line of createInterface({ input: process.stdin }))
    if (line.trim() !== "") yield RecordedUpdate.parse(JSON.parse(line));
}

const plan = TrainerPlan.parse(JSON.parse(await readFile(join(runDir, "plan.json"), "utf8")));
const result = await replayUpdates(plan, Number(from), Number(to), recorded());
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(result.replayed === result.saved ? 0 : 1);
