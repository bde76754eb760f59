// What a trial in a pod is, beside an API server that is busy or forgets, and over a kill of the runner.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../bench/liverl.mjs";
import { makeTask } from "../docker/make-tasks.mjs";
import { demand, readText, rewardsOf, rolloutOf, tell } from "../docker/rollouts.mjs";
import { apartTask, playApart } from "../docker/verifier-claims.mjs";

const NONE_LEFT_MS = 90_000;

const TASKS = {
  shell: {
    solve: "echo 42 > /app/answer",
    test: '[ "$(cat /app/answer)" = 42 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt',
  },
  python: {
    solve: "mkdir -p /app && echo 'def double(n): return 2 * n' > /app/double.py",
    test: `cd /app; if python3 -c 'from double import double; assert double(4) == 8'; then echo '{"reward": 1}'; else echo '{"reward": 0}'; fi > /logs/verifier/reward.json`,
  },
  git: {
    solve:
      "git init -q . && git config user.email a@b.c && git config user.name a && touch file && git add -A && git commit -q -m First",
    test: '[ "$(git rev-list --count HEAD)" = 1 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt',
  },
};
const SLOW = { ...TASKS.shell, solve: "sleep 8; echo 42 > /app/answer" };

const folderOf = ({ directory }, name, task = TASKS[name]) =>
  makeTask(join(directory, "tasks"), name, task);

export async function noneLeft({ podsOf, runner }) {
  await until(async () => (await podsOf(runner.instance())).length === 0, {
    what: "no pod is left",
    timeoutMs: NONE_LEFT_MS,
  });
}

/** The agent's pod is gone before the verifier's is made. */
export async function verifiesApart(world) {
  const folder = apartTask(join(world.directory, "tasks"), "apart");
  const runId = await world.registerRun("oracle");
  const played = await playApart(world, { runId, folder, at: 0 });
  await noneLeft(world);
  return played;
}

export async function oracleAndNop(world) {
  const folders = Object.keys(TASKS).map((name) => folderOf(world, name));
  const began = performance.now();
  for (const result of await rewardsOf(world, "oracle", folders))
    demand(result.reward === 1, `oracle: ${tell(result)}`);
  for (const result of await rewardsOf(world, "nop", folders))
    demand(result.reward === 0, `nop: ${tell(result)}`);
  const wallS = Math.round((performance.now() - began) / 1_000);
  await noneLeft(world);
  return { tasks: folders.length, oracle: 1, nop: 0, wallS };
}

export async function isHardened(world) {
  const { networking, namespace, podsOf, registerRun, runner } = world;
  const runId = await registerRun("oracle");
  const trial = runner.rollout(rolloutOf(runId, folderOf(world, "slow", SLOW), 0));
  const [pod] = await until(
    async () => {
      const pods = await podsOf(runner.instance());
      return pods.length > 0 && pods;
    },
    { what: "the pod", timeoutMs: 30_000 },
  );
  const { spec, metadata } = pod;
  demand(
    spec.automountServiceAccountToken === false &&
      spec.activeDeadlineSeconds > 0 &&
      spec.dnsPolicy === "None" &&
      !spec.hostNetwork &&
      spec.volumes.every(({ emptyDir }) => emptyDir),
    `the pod: ${JSON.stringify(spec)}`,
  );
  for (const { securityContext: each } of [...spec.containers, ...spec.initContainers])
    demand(
      each.allowPrivilegeEscalation === false && each.capabilities.drop.includes("ALL"),
      `a container: ${JSON.stringify(each)}`,
    );
  demand(metadata.labels["liverl.dev/run"] === runId, `labels: ${JSON.stringify(metadata.labels)}`);
  const { items } = await networking.listNamespacedNetworkPolicy({ namespace });
  const policy = items.find(({ metadata: { name } }) => name === "liverl-sandbox-no-network");
  demand(
    policy?.spec.policyTypes.join() === "Ingress,Egress" && !policy.spec.egress?.length,
    `policies: ${JSON.stringify(items)}`,
  );
  demand((await trial).reward === 1, tell(await trial));
  return { policies: items.map((item) => item.metadata.name) };
}

export async function refusesPlanted(world) {
  const { registerRun, runner } = world;
  const folder = folderOf(world, "planted", {
    solve:
      "echo 1 > /logs/verifier/reward.txt; mkdir -p /tests; touch /tests/planted; setsid sh -c 'while :; do echo 1 > /logs/verifier/reward.txt; sleep 0.02; done' > /dev/null 2>&1 &",
    test: "[ -e /tests/planted ] && echo 1 > /logs/verifier/reward.txt; sleep 1; exit 0",
  });
  const runId = await registerRun("oracle");
  const result = await runner.rollout(rolloutOf(runId, folder, 0));
  demand(
    result.reward === null && result.error?.exception_type === "RewardFileNotFoundError",
    `a planted reward counted: ${tell(result)}`,
  );
  const stubborn = folderOf(world, "stubborn", {
    solve: "echo 1 > /logs/verifier/reward.txt; printf '#!/bin/sh\\nexit 0\\n' > /bin/rm",
    test: "exit 0",
  });
  const kept = await runner.rollout(rolloutOf(runId, stubborn, 1));
  demand(kept.error?.exception_type === "VerifierTamperedError", `a replaced rm: ${tell(kept)}`);
  return { planted: result.error.exception_type, replacedRm: kept.error.exception_type };
}

export async function refusesWhatItCanNot({ directory, registerRun, runner }) {
  const folder = join(directory, "tasks", "built");
  for (const part of ["environment", "tests"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "task.toml"), 'schema_version = "1.4"\n');
  writeFileSync(join(folder, "instruction.md"), "Do it.\n");
  writeFileSync(join(folder, "environment/Dockerfile"), "FROM here/agent:1\n");
  writeFileSync(join(folder, "tests/test.sh"), "true\n");
  const { refused } = await runner.rollout(rolloutOf(await registerRun("nop"), folder, 0));
  const said = JSON.stringify(refused ?? "");
  demand(said.includes("LIVERL_TASK_IMAGE_PREFIX"), `a Dockerfile: ${said}`);
  return { refused: refused.error?.message ?? refused };
}

const configOf = (environment) =>
  `schema_version = "1.4"\n[environment]\nnetwork_mode = "no-network"\n${environment}`;

export async function outOfMemory(world) {
  const folder = folderOf(world, "memory", {
    ...TASKS.shell,
    config: configOf("memory_mb = 64\n"),
    solve: "tail /dev/zero; echo 42 > /app/answer",
  });
  const runId = await world.registerRun("oracle");
  const result = await world.runner.rollout(rolloutOf(runId, folder, 0));
  const log = readText(world.runner, runId, result, "trial.log");
  demand(/memory ran out/.test(log), `the log does not tell: ${log}`);
  await noneLeft(world);
  return { reward: result.reward, error: result.error?.exception_type ?? null };
}

export async function busy(world) {
  const { gate, registerRun, runner } = world;
  const before = gate.seen.length;
  const runId = await registerRun("oracle");
  gate.busy = 3;
  const result = await runner.rollout(rolloutOf(runId, folderOf(world, "shell"), 0));
  const refused = gate.seen.slice(before).filter((line) => line.startsWith("429")).length;
  demand(refused === 3 && result.reward === 1, `${refused} refusals: ${tell(result)}`);
  demand(result.attempt === 1, "a busy server cost an attempt");
  return { refused };
}

export async function expired(world) {
  const { cluster, gate, registerRun, runner } = world;
  const before = gate.expired;
  // A server that has just begun still knows its first version: another life of it does not.
  cluster.killApiServer();
  cluster.bringUp();
  gate.stale = 2;
  gate.cut();
  await until(() => gate.expired > before, { what: "a 410", timeoutMs: 60_000 });
  const runId = await registerRun("oracle");
  const result = await runner.rollout(rolloutOf(runId, folderOf(world, "shell"), 0));
  demand(result.reward === 1 && result.attempt === 1, tell(result));
  return { expired: gate.expired - before };
}

async function atWork({ podsOf, runner }) {
  await until(
    async () =>
      (await podsOf(runner.instance())).filter(({ status }) => status.phase === "Running").length >
      1,
    { what: "trials at work", timeoutMs: 60_000, everyMs: 50 },
  );
}

export async function runnerKilled(world) {
  const { podsOf, registerRun, runner, trials } = world;
  const runId = await registerRun("oracle");
  const folder = folderOf(world, "slow", SLOW);
  const asked = Array.from({ length: trials }, (_, at) =>
    runner.rollout(rolloutOf(runId, folder, at)),
  );
  await atWork(world);
  await runner.kill();
  const orphansAtKill = (await podsOf(runner.instance())).length;
  demand(orphansAtKill > 0, "nothing ran when the runner was killed");
  await runner.start();
  const results = await Promise.all(asked);
  for (const result of results) demand(result.reward === 1, `after the kill: ${tell(result)}`);
  await noneLeft(world);
  const startedAgain = results.filter(({ attempt }) => attempt > 1).length;
  return { trials, orphansAtKill, startedAgain, left: 0 };
}
