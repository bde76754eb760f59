import { join } from "node:path";

/** Folder of what updates computed of their tokens. */
export const TRAINED_TOKENS = "trained-tokens";

/** Every path of a run's folder, in one place. */
export function runFiles(dataDir: string, runId: string) {
  const directory = join(dataDir, "runs", runId);
  return {
    directory,
    logs: join(directory, "logs"),
    plan: join(directory, "plan.json"),
    commands: join(directory, "commands.jsonl"),
    result: join(directory, "result.json"),
    engineKey: join(directory, "engine.key"),
    model: join(directory, "model"),
    weights: join(directory, "weights"),
    trainedTokens: join(directory, TRAINED_TOKENS),
    checkpoints: join(directory, "checkpoints"),
    warmup: join(dataDir, "warmup"),
    metrics: (attempt: number) => join(directory, `metrics-${attempt}.jsonl`),
    events: (attempt: number) => join(directory, `events-${attempt}.jsonl`),
    updates: (attempt: number) => join(directory, `updates-${attempt}.jsonl`),
    enginePort: (index: number) => join(directory, `engine-${index}.port`),
    log: (process: string) => join(directory, "logs", `${process}.log`),
  };
}
export type RunFiles = ReturnType<typeof runFiles>;

/** Name of a run's process in `D/processes`. */
export const processName = (runId: string, process: string) => `${runId}.${process}`;
