import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAtif } from "@liverl/contract/build-atif";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { openJobFiles } from "@liverl/runner/harbor-files/job-files";
import type { TrialRecord } from "@liverl/runner/harbor-files/trial-record";
import {
  writeArtifactManifest,
  writeTrialFiles,
} from "@liverl/runner/harbor-files/write-trial-files";

/** Stands in every trial's files where a secret could; no file may have it. */
export const SECRET = "sk-live-3f9c1d7e8a";

const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 1, 0, second, 250));

type Varied = Partial<Omit<TrialRecord, "root" | "trialKey">>;

/** Trials as they end in practice. */
const TRIALS: Record<string, Varied> = {
  "rewarded-a1": { rewards: { reward: 1 } },
  "several-rewards-a1": { rewards: { reward: 0.5, format: 1, tests: 0.25 } },
  "apart-a1": { rewards: { reward: 1 }, verifierMode: "separate" },
  "late-a1": {
    rewards: { reward: 0 },
    exception: {
      exception_type: "AgentTimeoutError",
      exception_message: "Agent execution timed out after 2 seconds",
      occurred_at: at(30).toISOString(),
    },
  },
  "failed-a2": {
    exception: {
      exception_type: "EnvironmentStartTimeoutError",
      exception_message: `docker: no answer with key ${SECRET}`,
      exception_traceback: `Error: docker\n    at start (docker.ts:1) ${SECRET}`,
      occurred_at: at(5).toISOString(),
    },
    agentExecution: null,
    verifier: null,
    use: null,
  },
  "cancelled-a1": {
    exception: {
      exception_type: "CancelledError",
      exception_message: "The run was cancelled",
      occurred_at: at(6).toISOString(),
    },
    verifier: null,
  },
  "steps-a1": {
    verifierMode: null,
    rewards: { reward: 0.75 },
    steps: [
      {
        name: "first",
        use: { inputTokens: 10, cachedTokens: 0, outputTokens: 5 },
        rewards: { reward: 1 },
        exception: null,
        agentExecution: [at(2), at(3)],
        verifier: [at(3), at(4)],
      },
      {
        name: "second step",
        use: null,
        rewards: null,
        exception: {
          exception_type: "VerifierTimeoutError",
          exception_message: "Verifier execution timed out after 45 seconds",
          occurred_at: at(9).toISOString(),
        },
        agentExecution: [at(5), at(6)],
        verifier: [at(6), at(9)],
      },
    ],
  },
};

/** Writes a run's folder with two steps by the writer that every trial has; answers with what was told it. */
export async function writeJobs(run: string, trajectory: ProxyTrajectory): Promise<TrialRecord[]> {
  const jobs = openJobFiles({
    log: {
      warn: (fault: object, text: string) => {
        throw new Error(text, { cause: fault });
      },
    },
  });
  const records = ["step_1", "eval_2"].flatMap((step) =>
    Object.entries(TRIALS).map(([name, varied]) => recordOf(join(run, step, name), step, varied)),
  );
  for (const record of records) {
    writeBesides(record, trajectory);
    jobs.add(record, writeTrialFiles(record));
  }
  await jobs.close();
  return records;
}

function recordOf(root: string, step: string, varied: Varied): TrialRecord {
  return {
    root,
    trialKey: root,
    jobKey: `run-1/${step}`,
    task: { name: "liverl/hello", path: "tasks/hello", source: "tasks", checksum: "0".repeat(64) },
    agent: { name: "opencode", version: "1.2.3", env: { API_KEY: SECRET, MODE: "fast" } },
    model: { name: "policy", provider: "liverl" },
    environment: { type: "docker" },
    verifierMode: "shared",
    verifierEnv: { JUDGE_TOKEN: SECRET },
    timeoutMultiplier: 2,
    artifacts: [{ source: "/logs/artifacts", destination: null, exclude: ["*.o"], service: null }],
    use: { inputTokens: 100, cachedTokens: 40, outputTokens: 20 },
    metadata: { termination: "agent-finished", turns: 2 },
    rewards: null,
    exception: null,
    startedAt: at(0),
    finishedAt: at(40),
    environmentSetup: [at(0), at(1)],
    agentSetup: [at(1), at(2)],
    agentExecution: [at(2), at(30)],
    verifier: [at(30), at(39)],
    steps: null,
    log: ["The sandbox is made", `The agent starts with ${SECRET}`],
    secrets: [SECRET],
    ...varied,
  };
}

/** What the sandbox leaves: logs of the verifier and the agent, artifacts. */
function writeBesides({ root, rewards }: TrialRecord, trajectory: ProxyTrajectory): void {
  for (const folder of ["agent", "verifier", "artifacts/logs/artifacts"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "verifier/test-stdout.txt"), "1 passed\n");
  if (rewards) writeFileSync(join(root, "verifier/reward.json"), JSON.stringify(rewards));
  writeFileSync(join(root, "artifacts/logs/artifacts/out.txt"), "out\n");
  writeArtifactManifest(join(root, "artifacts"), [
    {
      source: "/logs/artifacts",
      destination: "artifacts/logs/artifacts",
      type: "directory",
      status: "ok",
      service: null,
      exclude: [],
    },
  ]);
  const atif = buildAtif(trajectory, { name: "opencode", version: "1.2.3" });
  writeFileSync(join(root, "agent/trajectory.json"), JSON.stringify(atif));
}
