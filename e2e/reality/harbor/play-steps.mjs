// A task of several steps, played by Harbor and by LiveRL in containers of the same image, with oracle and nop: the same steps,
// rewards and folders. Both use a daemon that runs (DOCKER_HOST); without one nothing is played, and that is told.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchModel } from "../../../bench/bench-model.mjs";
import { buildRunner, Runner } from "../docker/runner.mjs";
import { makeStagedTask, STEPS } from "../docker/staged-task.mjs";

const suite = fileURLToPath(new URL(".", import.meta.url));
const IMAGE = "here/agent:1";

/** Why nothing can be played here; null: all is there. */
export function whyNotPlayed() {
  const { status, stderr } = spawnSync("docker", ["image", "inspect", IMAGE], { encoding: "utf8" });
  return status === 0
    ? null
    : `No Docker daemon with the image ${IMAGE} (e2e/reality/docker/make-base-image.sh agent): ${stderr?.trim()}`;
}

/** Writes what both said into `to`: `{<task> <agent>: {ours, theirs}}`. Answers what went wrong, or null. */
export async function playSteps({ python, work, to }) {
  const tasks = join(work, "played-tasks");
  const made = {
    gated: makeStagedTask(tasks, "gated"),
    final: makeStagedTask(tasks, "final", { strategy: "final", gate: null }),
    // A reward of 0 in the middle and keys that a step lacks: both count in the mean.
    mixed: makeStagedTask(tasks, "mixed", {
      gate: null,
      solve: { "zweiter Schritt": "echo wrong > /app/answer" },
      test: { report: "echo 0.25 > /logs/verifier/reward.txt" },
    }),
  };
  buildRunner();
  const runner = new Runner(join(work, "played-data"));
  mkdirSync(runner.dataDir, { recursive: true });
  await runner.start();
  try {
    const played = {};
    for (const agent of ["oracle", "nop"]) {
      const theirs = await playWithHarbor({ python, work, tasks, agent });
      if (typeof theirs === "string") return theirs;
      for (const [at, [name, folder]] of Object.entries(made).entries())
        played[`${name} ${agent}`] = {
          ours: await playHere(runner, { agent, folder, at, name }),
          theirs: theirs[name],
        };
    }
    writeFileSync(to, JSON.stringify(played, null, 2));
    return null;
  } finally {
    await runner.stop();
  }
}

async function playWithHarbor({ python, work, tasks, agent }) {
  const jobs = join(work, "played-jobs");
  const argv = [
    "run",
    "-p",
    tasks,
    "-a",
    agent,
    "-e",
    "docker_cli_env:DockerCliEnvironment",
  ].concat(["--job-name", agent, "-o", jobs, "-n", "1", "-y"]);
  const env = {
    ...process.env,
    PYTHONPATH: suite,
    PYTHONDONTWRITEBYTECODE: "1",
    HARBOR_TELEMETRY: "0",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
  };
  const fault = await new Promise((resolve) => {
    execFile(join(python, "../harbor"), argv, { env }, (error, stdout, stderr) =>
      resolve(
        error && `${error.message.slice(0, 200)} ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`,
      ),
    );
  });
  if (fault) return `harbor run: ${fault}`;
  const trials = readdirSync(join(jobs, agent), { withFileTypes: true });
  return Object.fromEntries(
    trials
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name.split("__")[0], told(join(jobs, agent, name))]),
  );
}

async function playHere(runner, { agent, folder, at, name }) {
  const runId = `${agent}-${name}`;
  await runner.register(runId, {
    project: "parity",
    pool: {
      ...{ engines: [], relay: true, engineKeyPath: null },
      ...{ modelDir: benchModel(), modelName: "none", maxModelLen: 32_768 },
    },
    ...{ concurrency: 1, maxTurns: 1, rolloutTimeoutS: 300, agent },
  });
  const { sessionId } = await runner.rollout({
    ...{ rolloutId: `${runId}-${at}`, runId, groupId: runId, taskRef: folder },
    ...{ mode: "eval", step: 0, sampling: { temperature: 1, max_tokens: 1 } },
  });
  const step = join(runner.dataDir, "harbor_trials/parity", runId, "eval_0");
  return told(join(step, sessionId ?? readdirSync(step)[0]));
}

/** What a trial's folder says of its steps. */
function told(folder) {
  const result = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
  const kept = (step) =>
    [
      "agent/oracle.txt",
      "verifier/test-stdout.txt",
      "artifacts/app/answer",
      "artifacts/manifest.json",
    ].filter((path) => existsSync(join(folder, "steps", step, path)));
  return {
    rewards: result.verifier_result?.rewards ?? null,
    exception: result.exception_info?.exception_type ?? null,
    verifierMode: result.verifier_environment_mode,
    steps: result.step_results.map((step) => ({
      name: step.step_name,
      rewards: step.verifier_result?.rewards ?? null,
      exception: step.exception_info?.exception_type ?? null,
      isTimed: step.agent_execution !== null && step.verifier !== null,
      files: kept(step.step_name),
    })),
    root: ["agent", "verifier", "artifacts"].filter((name) => existsSync(join(folder, name))),
    leftOut: STEPS.filter((name) => !existsSync(join(folder, "steps", name))),
  };
}
