import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TrainerPlan } from "@liverl/contract/trainer";
import { pino } from "pino";
import { TrainingRun } from "#trainer/run-training.ts";

const { values } = parseArgs({ options: { "run-dir": { type: "string" } } });
const log = pino({ name: "trainer" });
// Nothing needs saving: every file is whole at any moment, and a restart goes on from the newest checkpoint.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));

if (!values["run-dir"]) {
  process.stderr.write("usage: trainer --run-dir DIR\n");
  process.exit(2);
}
try {
  const plan = TrainerPlan.parse(
    JSON.parse(await readFile(join(values["run-dir"], "plan.json"), "utf8")),
  );
  const run = await TrainingRun.open(plan, log);
  const result = await run.run();
  const { outcome, stoppedBy, steps, heldOutReward, trainSeconds } = result;
  // `result.json` has the rest.
  log.info({ outcome, stoppedBy, steps, heldOutReward, trainSeconds }, "run ended");
  await run.close();
  process.exit(0);
} catch (error) {
  log.fatal({ err: error }, "the trainer failed");
  process.exit(1);
}
