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

/** Of each way to say where tests run: the reward, in how many sandboxes, and that Harbor's file names the mode. */
export async function verifiesApart(world) {
  const { directory, registerRun, runner } = world;
  const tasks = join(directory, "tasks");
  const bundled = makeTask(tasks, "apart-own-image", { config: APART, solve: SOLVE, test: CHECK });
  writeFileSync(join(bundled, "tests/Dockerfile"), DOCKERFILE);
  const uploaded = makeTask(tasks, "apart-uploaded", {
    config: APART,
    solve: SOLVE,
    test: CHECK,
  });
  const runId = await registerRun("oracle");
  const idle = await registerRun("nop");
  const rewards = {};
  for (const [at, [name, folder]] of Object.entries({ bundled, uploaded }).entries()) {
    const result = await runner.rollout(rolloutOf(runId, folder, at));
    const told = result.error ? "" : readText(runner, runId, result, "verifier/test-stdout.txt");
    demand(result.reward === 1, `${name}: ${told} ${tell(result)}`);
    const { verifier_environment_mode: mode } = readFile(runner, runId, result, "result.json");
    demand(mode === "separate", `${name}: the mode is ${mode}`);
    demand(
      flagsOf(world, result).every(({ kind }) => kind !== "reward-planted"),
      `${name}: flagged`,
    );
    const log = readText(runner, runId, result, "trial.log");
    const sandboxes = new Set(log.match(/liverl-[0-9a-f]{8}-[0-9a-f]{12}/g));
    demand(sandboxes.size === 2, `${name}: ${sandboxes.size} sandboxes\n${log}`);
    const nothing = await runner.rollout(rolloutOf(idle, folder, at));
    demand(nothing.reward === 0, `nop, ${name}: ${tell(nothing)}`);
    rewards[name] = result.reward;
  }
  await noneLeft(world);
  return rewards;
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
