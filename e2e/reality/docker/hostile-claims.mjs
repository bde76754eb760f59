// What an agent does to its own sandbox, and to what looks after it, is its own: one attempt, judged as far as can be.
import { join } from "node:path";
import { makeTask } from "./make-tasks.mjs";
import { demand, flagsOf, noneLeft, readText, rolloutOf, tell } from "./rollouts.mjs";

const WORK = "echo repaired > /app/answer";
const CHECK = '[ "$(cat /app/answer)" = repaired ]; echo $((1 - $?)) > /logs/verifier/reward.txt';
const KILL_SLEEP = `for p in /proc/[0-9]*; do
  read -r name < $p/comm; [ "$name" = sleep ] && kill -9 \${p#/proc/}
done; tail -f /dev/null`;
/** 160,000 empty files in a path of 3.8 KB: Docker's list of them has more than 512 MB. */
const MANY = `python3 - <<'PY'
import os
os.chdir("/var")
for _ in range(15):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
for at in range(160000):
    os.close(os.open("f%06d" % at, os.O_CREAT | os.O_WRONLY))
PY`;
const BAD_NAME = `name=$(printf '\\377%.0s' $(seq 100)); touch "/logs/agent/$name"; touch "/logs/agent/zz"`;

/** What a trial comes to: how the agent ended, its flags, and what its log says. */
const CASES = {
  "kills every process": {
    solve: `${WORK}; kill -9 -1`,
    ending: "agent-error",
    flag: "sandbox-ended",
  },
  "kills the first process": {
    solve: `${WORK}; ${KILL_SLEEP}`,
    ending: "agent-error",
    flag: "sandbox-ended",
  },
  "leaves what kills the sandbox later": {
    // It has a sign where it comes before LiveRL itself ends what is left.
    solve: `${WORK}; (setsid sh -c 'while :; do kill -9 -1; done' > /dev/null 2>&1 &)`,
  },
  "has a list of changes without end": { solve: `${WORK}; ${MANY}`, flag: "changes-unknown" },
  "leaves a name of no text": { solve: `${WORK}; ${BAD_NAME}`, ending: "agent-finished" },
  "leaves a file of holes": {
    solve: `${WORK}; truncate -s 1T /logs/agent/big`,
    ending: "agent-finished",
  },
};

/** Solved work keeps its reward of 1, in one attempt, whatever else its agent does. */
export async function agentsOwnTheirSandbox(world) {
  const { directory, registerRun, runner } = world;
  const runId = await registerRun("oracle");
  const outcomes = {};
  for (const [at, [name, { solve, ending, flag }]] of Object.entries(CASES).entries()) {
    const folder = makeTask(join(directory, "tasks"), `hostile-${at}`, { solve, test: CHECK });
    const result = await runner.rollout(rolloutOf(runId, folder, at));
    demand(result.reward === 1 && result.attempt === 1, `${name}: ${tell(result)}`);
    const { termination } = result;
    demand(ending === undefined || termination === ending, `${name} ended by ${termination}`);
    const kinds = flagsOf(world, result).map(({ kind }) => kind);
    demand(flag === undefined || kinds.includes(flag), `${name} has the signs ${kinds}`);
    outcomes[name] = { termination, kinds };
  }
  await noneLeft(world);
  return outcomes;
}

/** Unsolved work has a reward of 0, and one that can not come up again none; neither is tried again. */
export async function noSecondTry({ directory, registerRun, runner }) {
  const runId = await registerRun("oracle");
  const unsolved = makeTask(join(directory, "tasks"), "hostile-unsolved", {
    solve: "kill -9 -1",
    test: CHECK,
  });
  const lost = await runner.rollout(rolloutOf(runId, unsolved, 0));
  demand(lost.reward === 0 && lost.attempt === 1, `unsolved: ${tell(lost)}`);
  const gone = makeTask(join(directory, "tasks"), "hostile-gone", {
    solve: `${WORK}; printf '#!/bin/sh\\nexit 0\\n' > /bin/sleep; kill -9 -1`,
    test: CHECK,
  });
  const dead = await runner.rollout(rolloutOf(runId, gone, 1));
  demand(
    dead.attempt === 1,
    `a sandbox that does not come up again was tried again: ${tell(dead)}`,
  );
  const log = readText(runner, runId, lost, "trial.log");
  demand(log.includes("The agent's sandbox has ended"), "the log does not say what ended");
  return { unsolved: lost.reward, gone: dead.error?.exception_type ?? dead.reward };
}
