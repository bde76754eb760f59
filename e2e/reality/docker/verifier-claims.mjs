// Verifiers with a sandbox of their own: what gets in is the artifacts alone, and nothing of the agent's sandbox is there.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTask } from "./make-tasks.mjs";
import { demand, flagsOf, noneLeft, readFile, readText, rolloutOf, tell } from "./rollouts.mjs";

const APART = `artifacts = ["/app/out", "/tmp/single.txt"]
[verifier]
user = "nobody"
env = { EXPECTED = "made" }
[verifier.environment]
network_mode = "no-network"
workdir = "/var"
env = { ROLE = "judge" }
[environment]
network_mode = "no-network"
`;
/** The agent's sandbox is spoilt for any test that would run in it. */
const SOLVE = `mkdir out && printf '#!/bin/sh\\necho made\\n' > out/program && chmod +x out/program
echo one > /tmp/single.txt; echo secret > /app/not-carried
printf '#!/bin/sh\\necho made\\n' > /bin/cat; mkdir -p /tests; echo 'echo 1 > /logs/verifier/reward.txt' > /tests/test.sh`;
const CHECK = `fail() { echo "$1" >&2; echo 0 > /logs/verifier/reward.txt; exit 0; }
[ "$(id -un)" = nobody ] || fail user
[ "$ROLE $PWD" = "judge /var" ] || fail "environment $ROLE $PWD"
[ "$(/app/out/program)" = "$EXPECTED" ] || fail program
[ "$(cat /tmp/single.txt)" = one ] || fail file
[ -k /tmp ] || fail "/tmp lost its mode"
touch /app/out/more /logs/artifacts/more || fail "folders of artifacts are closed"
[ -e /app/not-carried ] && fail "more than the artifacts came"
[ -e /app/out/of-the-image ] && fail "a folder of artifacts has files of the image"
echo 1 > /logs/verifier/reward.txt`;
const DOCKERFILE = `FROM here/agent:1
RUN mkdir -p /app/out /logs/verifier && touch /app/out/of-the-image && echo 1 > /logs/verifier/reward.txt
COPY test.sh /tests/test.sh
RUN chmod -x /tests/test.sh
`;

/** A task whose tests run in a second sandbox of the task's own image. */
export const apartTask = (directory, name) =>
  makeTask(directory, name, { config: APART, solve: SOLVE, test: CHECK });

/** One oracle's trial of such a task: its reward, two sandboxes, and the mode in Harbor's file. */
export async function playApart(world, { runId, folder, at }) {
  const { runner } = world;
  const result = await runner.rollout(rolloutOf(runId, folder, at));
  const told = result.error ? "" : readText(runner, runId, result, "verifier/test-stdout.txt");
  demand(result.reward === 1, `${folder}: ${told} ${tell(result)}`);
  const { verifier_environment_mode: mode } = readFile(runner, runId, result, "result.json");
  demand(mode === "separate", `the mode is ${mode}`);
  const flags = flagsOf(world, result).map(({ kind }) => kind);
  demand(!flags.includes("reward-planted"), `an honest reward is flagged: ${flags}`);
  const log = readText(runner, runId, result, "trial.log");
  const sandboxes = new Set(log.match(/liverl-[0-9a-f]{8}-[0-9a-f]{12}/g)).size;
  demand(sandboxes === 2, `${sandboxes} sandboxes\n${log}`);
  return { reward: result.reward, mode, sandboxes };
}

/** Of an image with tests of its own, and of the task's: oracle and nop. */
export async function verifiesApart(world) {
  const { directory, registerRun, runner } = world;
  const tasks = join(directory, "tasks");
  const bundled = apartTask(tasks, "apart-own-image");
  writeFileSync(join(bundled, "tests/Dockerfile"), DOCKERFILE);
  const uploaded = apartTask(tasks, "apart-uploaded");
  const runId = await registerRun("oracle");
  const idle = await registerRun("nop");
  const played = {};
  for (const [at, [name, folder]] of Object.entries({ bundled, uploaded }).entries()) {
    played[name] = await playApart(world, { runId, folder, at });
    const nothing = await runner.rollout(rolloutOf(idle, folder, at));
    demand(nothing.reward === 0, `nop, ${name}: ${tell(nothing)}`);
  }
  await noneLeft(world);
  return played;
}

/** What is no reward: an artifact that brings one, an image that can not be built, tests that are late. */
export async function verifierApartFails(world) {
  const { directory, registerRun, runner } = world;
  const tasks = join(directory, "tasks");
  const planted = makeTask(tasks, "apart-planted", {
    config: `artifacts = ["/logs/verifier"]\n[verifier]\nenvironment_mode = "separate"\n[environment]\n`,
    solve: "echo 1 > /logs/verifier/reward.txt",
    test: "true",
  });
  const broken = makeTask(tasks, "apart-broken", { config: APART, test: "true" });
  writeFileSync(
    join(broken, "tests/Dockerfile"),
    "FROM here/agent:1\nRUN echo no such luck; exit 7\n",
  );
  const late = makeTask(tasks, "apart-late", {
    config: `[verifier]\nenvironment_mode = "separate"\ntimeout_sec = 2\n[environment]\n`,
    test: "echo 1 > /logs/verifier/reward.txt; sleep 60",
  });
  const runId = await registerRun("oracle");
  const errors = {};
  for (const [at, [folder, expected]] of [
    [planted, "RewardFileNotFoundError"],
    [broken, "SandboxBuildFailedError"],
    [late, "VerifierTimeoutError"],
  ].entries()) {
    const result = await runner.rollout(rolloutOf(runId, folder, at));
    const type = result.error?.exception_type;
    demand(result.reward === null && type === expected, `${folder}: ${tell(result)}`);
    errors[folder.split("/").at(-1)] = type;
    if (folder === planted)
      demand(
        flagsOf(world, result).some(({ kind }) => kind === "reward-planted"),
        "the reward among the artifacts is not told",
      );
  }
  await noneLeft(world);
  return errors;
}
