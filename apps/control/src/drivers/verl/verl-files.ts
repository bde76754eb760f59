import { join } from "node:path";
import { runFiles } from "#drivers/embedded/run-files.ts";

/** Every path of a verl run's folder, in one place. */
export function verlFiles(dataDir: string, runId: string) {
  const files = runFiles(dataDir, runId);
  const inside = (name: string) => join(files.directory, name);
  return {
    ...files,
    agentLoops: inside("agent_loops.yaml"),
    rayToken: inside("ray.token"),
    rolloutDumps: inside("rollout"),
    validationDumps: inside("val"),
    hydra: (attempt: number) => inside(`hydra-${attempt}`),
    /** How an attempt's process ended; written by the process that watched it. */
    exit: (attempt: number) => inside(`exit-${attempt}.json`),
    /** What is known of an attempt's job on a cluster. */
    job: (attempt: number) => inside(`job-${attempt}.json`),
    /** How far the log of an attempt's pod is in its console log. */
    logPlace: (attempt: number) => inside(`log-place-${attempt}.json`),
    /** Whether an attempt's metrics come from verl's own file or from what it prints. */
    metricsSource: (attempt: number) => inside(`metrics-source-${attempt}.json`),
    /** All that an attempt's processes print. */
    console: (attempt: number) => files.log(`verl-${attempt}`),
  };
}
export type VerlFiles = ReturnType<typeof verlFiles>;
