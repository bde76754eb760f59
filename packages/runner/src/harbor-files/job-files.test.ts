import { mkdirSync } from "node:fs";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openJobFiles } from "#harbor-files/job-files.ts";
import type { TrialRecord } from "#harbor-files/trial-record.ts";
import { writeArtifactManifest, writeTrialFiles } from "#harbor-files/write-trial-files.ts";
import { makeFolder } from "#testing/make-task.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 1, 0, second));
const failure = (type: string, message: string) => ({
  exception_type: type,
  exception_message: message,
  occurred_at: at(5).toISOString(),
});

function recordOf(root: string, varied: Partial<TrialRecord> = {}): TrialRecord {
  mkdirSync(root, { recursive: true });
  return {
    root,
    trialKey: root,
    jobKey: "run-1/step_1",
    task: { name: "liverl/hello", path: "tasks/hello", source: "tasks", checksum: "00" },
    agent: { name: "agent", version: "1" },
    model: { name: "policy", provider: "liverl" },
    environment: { type: "docker" },
    verifierMode: "shared",
    use: { inputTokens: 10, cachedTokens: null, outputTokens: 5 },
    metadata: {},
    rewards: null,
    exception: null,
    startedAt: at(0),
    finishedAt: at(9),
    environmentSetup: [at(0), at(1)],
    agentSetup: null,
    agentExecution: [at(1), at(2)],
    verifier: null,
    steps: null,
    log: [],
    ...varied,
  };
}

const json = async (path: string) => JSON.parse(await readFile(path, "utf8"));

describe("a trial's files", () => {
  it("say how it ended, and no secret", async () => {
    const root = join(await makeFolder("trial"), "t-a1");
    const secret = 'sk-"live"-1234567';
    const hidden = [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)];
    writeTrialFiles(
      recordOf(root, {
        agent: { name: "agent", version: "1", env: { API_KEY: "other", MODE: "fast" } },
        exception: {
          ...failure("EnvironmentStartTimeoutError", hidden.join(" ")),
          exception_traceback: `Error\n at ${secret}`,
        },
        log: ["one", secret],
        secrets: [secret, "short"],
      }),
    );
    expect(await readFile(join(root, "trial.log"), "utf8")).toBe("one\n****\n");
    expect(await readFile(join(root, "exception.txt"), "utf8")).toBe("Error\n at ****\n");
    expect(await json(join(root, "config.json"))).toMatchObject({
      trial_name: "t-a1",
      agent: { env: { API_KEY: `\${API_KEY}`, MODE: "fast" } },
      environment: { type: "docker" },
    });
    const result = await readFile(join(root, "result.json"), "utf8");
    expect(JSON.parse(result)).toMatchObject({
      verifier_result: null,
      exception_info: { exception_message: "**** **** ****" },
    });
  });

  it("write the message where there is no trace, and no exception where none was", async () => {
    const folder = await makeFolder("trial");
    writeTrialFiles(
      recordOf(join(folder, "a"), { exception: failure("AgentTimeoutError", "late") }),
    );
    writeTrialFiles(recordOf(join(folder, "b"), { rewards: { reward: 0 } }));
    expect(await readFile(join(folder, "a/exception.txt"), "utf8")).toBe(
      "AgentTimeoutError: late\n",
    );
    await expect(readFile(join(folder, "b/exception.txt"))).rejects.toThrow("ENOENT");
    expect((await json(join(folder, "b/result.json"))).verifier_result.rewards).toEqual({
      reward: 0,
    });
  });

  it("have the same id when they are written again", async () => {
    const root = join(await makeFolder("trial"), "t");
    expect(writeTrialFiles(recordOf(root)).id).toBe(writeTrialFiles(recordOf(root)).id);
  });

  it("list artifacts", async () => {
    const folder = join(await makeFolder("trial"), "artifacts");
    const row = {
      source: "/logs/artifacts",
      destination: "artifacts/logs/artifacts",
      type: "directory",
      status: "ok",
      service: null,
      exclude: [],
    } as const;
    writeArtifactManifest(folder, [row]);
    expect(await json(join(folder, "manifest.json"))).toEqual([row]);
  });

  it("are never written through a link that an agent left", async () => {
    const root = await makeFolder("trial");
    mkdirSync(join(root, "artifacts"));
    await writeFile(join(root, "host"), "untouched");
    await symlink(join(root, "host"), join(root, "artifacts/manifest.json"));
    writeArtifactManifest(join(root, "artifacts"), []);
    expect(await readFile(join(root, "host"), "utf8")).toBe("untouched");
    expect(await json(join(root, "artifacts/manifest.json"))).toEqual([]);
  });
});

describe("a job's files", () => {
  const openJobs = (quietMs = 60_000) => {
    const warnings: string[] = [];
    const jobs = openJobFiles({ log: { warn: (_, text) => warnings.push(text) }, quietMs });
    const add = (record: TrialRecord) => jobs.add(record, writeTrialFiles(record));
    return { add, close: () => jobs.close(), warnings };
  };

  it("sum up the trials, failures apart from rewards", async () => {
    const folder = join(await makeFolder("job"), "step_1");
    const { add, close } = openJobs();
    add(recordOf(join(folder, "a"), { rewards: { reward: 1, style: 0.5 }, finishedAt: at(20) }));
    add(recordOf(join(folder, "b"), { rewards: { reward: 0 }, startedAt: at(-9) }));
    add(recordOf(join(folder, "c"), { exception: failure("DockerError", "gone"), use: null }));
    add(
      recordOf(join(folder, "d"), {
        rewards: { reward: 0 },
        exception: failure("AgentTimeoutError", "late"),
      }),
    );
    await close();
    expect(await json(join(folder, "config.json"))).toMatchObject({ job_name: "step_1" });
    expect(await json(join(folder, "result.json"))).toMatchObject({
      started_at: at(-9).toISOString(),
      finished_at: at(20).toISOString(),
      n_total_trials: 4,
      stats: {
        n_completed_trials: 4,
        n_errored_trials: 2,
        n_input_tokens: 30,
        n_output_tokens: 15,
        evals: {
          agent__policy__tasks: {
            n_trials: 3,
            n_errors: 2,
            metrics: [{ reward: 1 / 3, style: 0.5 }],
            reward_stats: { reward: { 0: ["b", "d"], 1: ["a"] }, style: { 0.5: ["a"] } },
            exception_stats: { DockerError: ["c"], AgentTimeoutError: ["d"] },
          },
        },
      },
    });
  });

  it("come by themselves and know what an earlier life wrote", async () => {
    const folder = join(await makeFolder("job"), "step_1");
    const earlier = openJobs();
    earlier.add(recordOf(join(folder, "a"), { rewards: { reward: 1 } }));
    earlier.add(recordOf(join(folder, "b"), { rewards: { reward: 1 } }));
    await earlier.close();
    await writeFile(join(folder, "b/result.json"), '{"cut');
    const { add, close } = openJobs(1);
    add(recordOf(join(folder, "c"), { rewards: { reward: 0 } }));
    const result = async () => (await json(join(folder, "result.json"))).stats.evals;
    await expect
      .poll(async () => (await result()).agent__policy__tasks.metrics)
      .toEqual([{ mean: 0.5 }]);
    add(recordOf(join(folder, "b"), { rewards: { reward: 1 } }));
    await expect.poll(async () => (await result()).agent__policy__tasks.n_trials).toBe(3);
    await close();
  });

  it("count a trial once that is written again", async () => {
    const folder = join(await makeFolder("job"), "step_1");
    const { add, close } = openJobs();
    add(recordOf(join(folder, "a"), { exception: failure("X", "") }));
    add(recordOf(join(folder, "a"), { rewards: { reward: 1 } }));
    await close();
    expect(await json(join(folder, "result.json"))).toMatchObject({
      n_total_trials: 1,
      stats: { n_errored_trials: 0 },
    });
  });

  it("that can not be written are a warning", async () => {
    const folder = join(await makeFolder("job"), "step_1");
    const { add, close, warnings } = openJobs();
    add(recordOf(join(folder, "a")));
    await rm(folder, { recursive: true });
    await close();
    expect(warnings).toEqual(["a job's files were not written"]);
  });
});
