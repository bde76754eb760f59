// What a trial in a container is: rewards, agents, what the agent planted, and what it can reach.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchModel } from "../../../bench/bench-model.mjs";
import { until } from "../../../bench/liverl.mjs";
import { makeTask } from "./make-tasks.mjs";
import {
  bridgeAddress,
  demand,
  flagsOf,
  liveLogOf,
  noneLeft,
  patchOf,
  readFile,
  readText,
  rewardsOf,
  rolloutOf,
  tell,
  trialFolderOf,
} from "./rollouts.mjs";

const GATE = fileURLToPath(new URL("../../../scripts/gate.mjs", import.meta.url));

export async function oracleAndNop(world) {
  const { tasks } = world;
  const folders = tasks.map(({ folder }) => folder);
  const solved = await rewardsOf(world, "oracle", folders);
  for (const result of solved) {
    demand(result.reward === 1, `oracle: ${tell(result)}`);
    const patch = patchOf(world, result);
    demand(/^diff --git a\//.test(patch), `oracle left no patch: ${patch.slice(0, 200)}`);
    const flags = flagsOf(world, result);
    demand(flags.length === 0, `an honest repair is flagged: ${JSON.stringify(flags)}`);
  }
  const idle = await rewardsOf(world, "nop", folders);
  for (const result of idle) {
    demand(result.reward === 0, `nop: ${tell(result)}`);
    demand(patchOf(world, result) === "", "nop left a patch");
  }
  await noneLeft(world);
  return { tasks: folders.length, oracle: 1, nop: 0 };
}

/** `npm run gate` tells a task that rewards doing nothing, and one whose own solution is none, from a sound one. */
export async function gatePlays({ directory, runner }) {
  const folder = join(directory, "gate-tasks");
  const honest = `if [ "$(cat /app/answer 2>/dev/null)" = 1 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`;
  makeTask(folder, "sound", { test: honest, solve: "echo 1 > /app/answer" });
  makeTask(folder, "unsolved", { test: honest, solve: "true" });
  makeTask(folder, "always-right", { test: "echo 1 > /logs/verifier/reward.txt" });
  makeTask(folder, "unreadable", { test: "exit 0", config: '[environment]\nmemory_mb = "much"\n' });
  const argv = ["--data-dir", runner.dataDir, "--model", benchModel(), folder];
  const { status, stdout, stderr } = await new Promise((resolve) => {
    execFile(process.execPath, [GATE, ...argv], (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
  demand(status === 1, `exit code ${status}: ${stderr}`);
  const { played, unsolved, rewarded, failed } = JSON.parse(stdout);
  demand(`${unsolved} ${rewarded} ${failed}` === "unsolved always-right unreadable", stdout);
  demand(/oracle unreadable: no reward, .*memory_mb/.test(stderr), `no reason: ${stderr}`);
  demand(/oracle unsolved: 0\n +\S+eval_0/.test(stderr), `no folder: ${stderr}`);
  return { played, unsolved, rewarded, failed };
}

export async function miniActs({ directory, modelCommand, registerRun, runner }) {
  const folder = makeTask(join(directory, "tasks"), "mini", {
    test: `pgrep_left=$(cat /proc/[0-9]*/comm | grep -c '^sleep$')
if [ "$(cat /app/answer)" = repaired ] && [ "$pgrep_left" = 1 ]; then echo 1; else echo "0.5"; fi > /logs/verifier/reward.txt
cat /proc/[0-9]*/comm`,
  });
  const runId = await registerRun("mini");
  const result = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(result.status === "succeeded" && result.turns === 2, `mini: ${tell(result)}`);
  // Only the container's own sleep is left: what the agent put into the background was ended before the tests.
  demand(result.reward === 1, `what the agent left running was seen by the tests: ${tell(result)}`);
  const { steps } = readFile(runner, runId, result, "agent/trajectory.json");
  demand(
    steps.some((step) => step.tool_calls?.[0]?.arguments.command === modelCommand),
    "agent/trajectory.json does not tell what the agent did",
  );
  const trained = result.segments.flatMap(({ mask }) => mask).filter(Boolean).length;
  demand(trained > 0, "no token of the agent trains");
  return { turns: result.turns, termination: result.termination, trainedTokens: trained };
}

export async function timesOut({ directory, registerRun, runner }) {
  const folder = makeTask(join(directory, "tasks"), "late", {
    solve: "echo half > /app/answer; sleep 600",
    test: 'echo "{\\"reward\\": 0.5, \\"kept\\": $(grep -c half /app/answer)}" > /logs/verifier/reward.json',
  });
  const runId = await registerRun("oracle", { rolloutTimeoutS: 5 });
  const trial = runner.rollout(rolloutOf(runId, folder, 0));
  // Its log is there while it works.
  await until(() => liveLogOf(runner, runId)?.includes("The agent oracle starts"), {
    what: "the log of a trial that goes on",
    timeoutMs: 60_000,
  });
  const result = await trial;
  demand(result.reward === 0.5 && result.termination === "timeout", `late: ${tell(result)}`);
  const files = readFile(runner, runId, result, "result.json");
  demand(
    files.exception_info.exception_type === "AgentTimeoutError",
    "AgentTimeoutError is not told",
  );
  demand(files.verifier_result.rewards.kept === 1, "the agent's half work was lost");
  return { termination: result.termination, reward: result.reward };
}

export async function refusesPlanted({ directory, registerRun, runner }) {
  const folder = makeTask(join(directory, "tasks"), "planted", {
    solve:
      "echo 1 > /logs/verifier/reward.txt; echo '{\"reward\": 1}' > /logs/verifier/reward.json; mkdir -p /tests; echo 'echo 1 > /logs/verifier/reward.txt' > /tests/test.sh; touch /tests/planted",
    test: "[ -e /tests/planted ] && echo 1 > /logs/verifier/reward.txt; exit 0",
  });
  const runId = await registerRun("oracle");
  const result = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(
    result.reward === null && result.error?.exception_type === "RewardFileNotFoundError",
    `a planted reward counted: ${tell(result)}`,
  );
  demand(result.attempt === 1, "a missing reward was tried again");
  const flags = flagsOf({ runner }, result);
  demand(flags[0]?.kind === "reward-planted", `it is not told: ${JSON.stringify(flags)}`);
  const stubborn = makeTask(join(directory, "tasks"), "stubborn", {
    solve: "echo 1 > /logs/verifier/reward.txt; printf '#!/bin/sh\\nexit 0\\n' > /bin/rm",
    test: "exit 0",
  });
  const kept = await runner.rollout(rolloutOf(runId, stubborn, 1));
  demand(
    kept.reward === null && kept.error?.exception_type === "VerifierTamperedError",
    `a replaced rm went unseen: ${tell(kept)}`,
  );
  return { planted: result.error.exception_type, replacedRm: kept.error.exception_type };
}

export async function hostIsOutOfReach(world) {
  const { directory, image, outputOf } = world;
  const secret = randomBytes(16).toString("hex");
  const server = createServer((_, response) => response.end(secret)).listen(0, "0.0.0.0");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address();
    const bridge = bridgeAddress();
    const own = Object.values(networkInterfaces()).flatMap((each) => each.map((a) => a.address));
    const hosts = [...new Set([bridge, ...own.filter((address) => address.includes("."))])];
    const script = `import urllib.request
for host in ${JSON.stringify(hosts)}:
    try:
        print(urllib.request.urlopen("http://%s:${port}/" % host, timeout=3).read().decode())
    except Exception as error:
        print(host, error)
`;
    const control = await outputOf(image, ["python3", "-c", script]);
    demand(control.includes(secret), `the listener is not to be reached at all: ${control}`);
    const folder = makeTask(join(directory, "tasks"), "isolation", {
      test: `cat > /tmp/look.py <<'PY'\n${script}PY\npython3 /tmp/look.py > /logs/verifier/seen.txt\ngrep -q ${secret} /logs/verifier/seen.txt; echo $? > /logs/verifier/reward.txt`,
    });
    const [result] = await rewardsOf(world, "nop", [folder]);
    demand(result.reward === 1, `the sandbox read what the host serves: ${tell(result)}`);
    return { addresses: hosts.length, usualContainerReads: true, sandboxReads: false };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

export async function refusesWhatItCanNot({ directory, registerRun, runner }) {
  const folder = makeTask(join(directory, "tasks"), "switch", {
    test: "true",
    config:
      '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["example.org"]\n[agent]\nnetwork_mode = "no-network"\n',
  });
  const runId = await registerRun("nop");
  const { refused } = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(
    JSON.stringify(refused ?? "").includes("network_mode"),
    `a network that changes: ${JSON.stringify(refused)}`,
  );
  const missing = await runner.rollout(rolloutOf(runId, join(directory, "no-such-task"), 1));
  demand(missing.refused, "a folder that is not there was taken");
  return { refused: refused.error?.message ?? refused };
}

const FULL_CONFIG = `artifacts = ["/app/out.txt", { source = "folder", destination = "kept", exclude = ["*.o", "build"] }, "/app/missing"]
[verifier]
env = { EXPECTED = "hello" }
[[verifier.collect]]
command = "echo collected > /app/out.txt; echo this is told >&2; exit 4"
[environment]
network_mode = "no-network"
env = { GREETING = "\${NOBODY_SETS_THIS:-hello}" }
healthcheck = { command = "HEALTH", interval_sec = 0.1, retries = 3 }
`;

export async function followsTheConfig({ directory, registerRun, runner }) {
  const folder = makeTask(join(directory, "tasks"), "full", {
    config: FULL_CONFIG.replace("HEALTH", "test -e /app/ready || { touch /app/ready; exit 1; }"),
    solve:
      'mkdir folder && echo "$GREETING" > folder/said && ln -s /etc/passwd folder/link && mkdir folder/build && touch folder/build/x folder/a.o',
    test: '[ "$(cat folder/said)" = "$EXPECTED" ] && echo 1 > /logs/verifier/reward.txt',
  });
  const runId = await registerRun("oracle");
  const result = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(result.reward === 1 && result.attempt === 1, `full: ${tell(result)}`);
  const text = (name) => readText(runner, runId, result, name);
  demand(text("artifacts/app/out.txt") === "collected\n", "the collect command's file is missing");
  demand(text("artifacts/kept/said") === "hello\n", "the folder of artifacts is missing");
  const keptFiles = readdirSync(join(trialFolderOf(runner, runId, result), "artifacts/kept"));
  demand(keptFiles.join() === "said", `what was excluded is there: ${keptFiles}`);
  demand(text("trial.log").includes("this is told"), "a failed collect command is not told");
  demand(text("trial.log").includes("folder/link"), "a link that was left out is not told");
  const rows = readFile(runner, runId, result, "artifacts/manifest.json");
  const states = Object.fromEntries(rows.map(({ source, status }) => [source, status]));
  demand(
    states["/app/out.txt"] === "ok" && states["/app/missing"] === "failed",
    JSON.stringify(rows),
  );
  const ill = makeTask(join(directory, "tasks"), "ill", {
    config: FULL_CONFIG.replace("HEALTH", "echo not well; exit 3"),
    test: "exit 0",
  });
  const failed = await runner.rollout(rolloutOf(runId, ill, 1));
  demand(
    failed.reward === null && failed.error?.exception_type === "HealthcheckError",
    `ill: ${tell(failed)}`,
  );
  demand(failed.attempt === 2, "a sandbox that is not well was not tried once more");
  return { artifacts: states, ill: failed.error.exception_message };
}
