import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { TrainerPlan } from "@liverl/contract/trainer";
import type { RunFiles } from "#drivers/embedded/run-files.ts";

/** The trainer's orders for one attempt. Pure. */
export function buildTrainerPlan({
  runId,
  spec,
  attempt,
  resumeFrom,
  files,
  enginePorts,
  runner,
}: {
  runId: string;
  spec: EmbeddedSpec;
  attempt: number;
  resumeFrom: TrainerPlan["resumeFrom"];
  files: RunFiles;
  enginePorts: readonly number[];
  runner: TrainerPlan["runner"];
}): TrainerPlan {
  return {
    runId,
    spec,
    attempt,
    resumeFrom,
    metricsPath: files.metrics(attempt),
    eventsPath: files.events(attempt),
    commandsPath: files.commands,
    updatesPath: files.updates(attempt),
    trainedTokensDir: files.trainedTokens,
    checkpointsDir: files.checkpoints,
    weightsDir: files.weights,
    modelDir: files.model,
    warmupDir: files.warmup,
    resultPath: files.result,
    engines: enginePorts.map((port) => ({ url: `http://127.0.0.1:${port}` })),
    engineKeyPath: files.engineKey,
    runner,
  };
}
