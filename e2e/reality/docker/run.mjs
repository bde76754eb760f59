// Trials of tasks in Harbor's format in real containers: `npm run e2e:reality -- docker [--trials=20] [--width=4] [--only=TEXT]`;
// TEXT is part of a claim's name. The runner and the proxy are the built ones; the engine is a stand-in with given turns.
//   PICTURES_DIR  keeps the pictures of what was looked at in a browser
//   LIVERL_PYTHON  a Python 3.12 or newer with pip, for agents of Python; without one their claims are left out, which is said
//   DOCKER_HOST  a daemon that runs; without one Debian's is started in DOCKER_DIR (default /tmp/liverl-docker)
// Prints one JSON object last. Exit code 0 when all claims hold, or when there is no daemon, which it says.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchModel, speller } from "../../../bench/bench-model.mjs";
import { say } from "../../../bench/liverl.mjs";
import { startEngine } from "../../../bench/proxy-process.mjs";
import {
  agentSolves,
  hostAgentsFail,
  refusesBadImportPaths,
  whileInstalling,
} from "./agent-claims.mjs";
import { offerOwnAgents, withoutMissingPython } from "./agents-of-python.mjs";
import { keepsToItsHosts } from "./egress-claims.mjs";
import { FAULT_CLAIMS } from "./faults/fault-claims.mjs";
import { closeFaultWorld } from "./faults/fault-world.mjs";
import * as attempts from "./hack-attempts.mjs";
import * as hackClaims from "./hack-claims.mjs";
import * as hostile from "./hostile-claims.mjs";
import * as joined from "./joined-runners.mjs";
import * as loadClaims from "./load-claims.mjs";
import { makeTasks } from "./make-tasks.mjs";
import * as overheadClaims from "./overhead-claims.mjs";
import { plays } from "./play-claims.mjs";
import * as remote from "./remote-daemon.mjs";
import { noneLeft } from "./rollouts.mjs";
import { buildRunner, Runner } from "./runner.mjs";
import { operatorOpensShell, survivesKillWithShell } from "./shell-claims.mjs";
import * as stepClaims from "./step-claims.mjs";
import * as trialClaims from "./trial-claims.mjs";
import { verifierApartFails, verifiesApart } from "./verifier-claims.mjs";
import { contrastsWithSibling, watchSteps, watchTrial } from "./watch.mjs";

const suite = fileURLToPath(new URL(".", import.meta.url));
const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "20" },
    width: { type: "string", default: "4" },
    only: { type: "string", default: "" },
  },
});
const TRIALS = Number(values.trials);
const WIDTH = Number(values.width);
const IMAGE = "here/agent:1";

function report(value) {
  process.stdout.write(`${JSON.stringify({ name: "docker", ...value })}\n`);
}

function skip(reason) {
  say(`SKIPPED: no real container was started. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

function setUpDocker() {
  const directory = process.env.DOCKER_DIR ?? "/tmp/liverl-docker";
  const started = spawnSync("bash", [join(suite, "start-dockerd.sh"), directory], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const host = /^export DOCKER_HOST=(.*)$/m.exec(started.stdout ?? "")?.[1];
  if (host) {
    process.env.DOCKER_HOST = host;
    process.once("exit", () => spawnSync("bash", [join(suite, "stop-dockerd.sh"), directory]));
  }
  if (started.status !== 0) skip("There is no Docker daemon, and Debian's could not be started.");
  const made = spawnSync("bash", [join(suite, "make-base-image.sh"), "agent"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (made.status !== 0)
    skip("The base image could not be made (debootstrap needs Debian's archive).");
}

setUpDocker();
buildRunner();
// After DOCKER_HOST is known: the client reads it once.
const { bareLoop, containersOf, outputOf } = await import("./containers.mjs");
const directory = mkdtempSync(join(tmpdir(), "liverl-docker-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const tasks = makeTasks(join(directory, "tasks"));
const runner = new Runner(join(directory, "data"));
const spell = speller(benchModel());
const turnsPath = join(directory, "turns.json");

/** The one turn that the engine stand-in has: the model calls bash with this. */
const MODEL_COMMAND = "echo repaired > /app/answer && setsid sleep 600 &";
const call = { name: "bash", arguments: { command: MODEL_COMMAND } };
writeFileSync(
  turnsPath,
  JSON.stringify([spell(`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`)]),
);
const engine = await startEngine(directory, "--turns", turnsPath);
offerOwnAgents();
await runner.start();

/** What the runner is told of a run with this agent. */
const runOf = (agent, engineUrl = engine.url) => ({
  project: "docker",
  pool: {
    engines: [{ url: engineUrl }],
    engineKeyPath: null,
    modelDir: benchModel(),
    modelName: "bench",
    maxModelLen: 32_768,
  },
  concurrency: WIDTH,
  maxTurns: 2,
  rolloutTimeoutS: 300,
  agent,
});
let runs = 0;
async function registerRun(agent, { engineUrl, ...more } = {}) {
  const runId = `run-${++runs}`;
  const { status, content } = await whileInstalling(() =>
    runner.register(runId, { ...runOf(agent, engineUrl), ...more }),
  );
  if (status !== 200) throw new Error(`the run was refused: ${JSON.stringify(content)}`);
  return runId;
}

const world = {
  bareLoop,
  containersOf,
  outputOf,
  directory,
  tasks,
  runner,
  registerRun,
  runOf,
  trials: TRIALS,
  width: WIDTH,
  image: IMAGE,
  modelCommand: MODEL_COMMAND,
  isCutOff: true,
  noneLeft: () => noneLeft(world),
};
const CLAIMS = {
  "oracle has 1 and nop has 0 on five tasks": trialClaims.oracleAndNop,
  "npm run gate names the tasks that are broken": trialClaims.gatePlays,
  "npm run play has an agent play tasks, and ends with them": plays,
  "the mini agent acts, and what it left running is dead before the tests": trialClaims.miniActs,
  "steps: oracle and nop, the gate, both strategies, Harbor's layout": stepClaims.playsSteps,
  "steps: tests of one are hidden from the agent of the next": stepClaims.hidesEarlierTests,
  "steps: each is a conversation that trains with the trial's reward":
    stepClaims.trainsSteps("mini"),
  "steps: so it is with an agent that works in the sandbox": stepClaims.trainsSteps("claude-code"),
  "steps: one that fails is no reward of the others": stepClaims.stepFails,
  "steps: npm run gate plays them": stepClaims.gatePlaysSteps,
  "steps: a runner killed in one loses no trial": stepClaims.stepSurvivesKill,
  "Claude Code solves a task inside of a container without a network": agentSolves("claude-code"),
  "Codex solves a task inside of a container without a network": agentSolves("codex"),
  "OpenCode solves a task inside of a container without a network": agentSolves("opencode"),
  "mini-swe-agent solves a task inside of a container without a network":
    agentSolves("mini-swe-agent"),
  "OpenHands solves a task inside of a container without a network": agentSolves("openhands-sdk"),
  "an import path that names no agent of Harbor is refused": refusesBadImportPaths,
  "Terminus 2 solves a task in a container from outside": agentSolves("terminus-2"),
  "an agent of an import path solves a task from outside": agentSolves("own_agents:AskOnce"),
  "an agent of an import path that fails is verified or is no reward": hostAgentsFail,
  "healthcheck, env, collect commands and artifacts are the task's": trialClaims.followsTheConfig,
  "a verifier's own sandbox has the artifacts and nothing else of the agent's": verifiesApart,
  "a verifier's own sandbox that fails is no reward": verifierApartFails,
  "an agent that is late is verified all the same": trialClaims.timesOut,
  "planted rewards and tests do not count": trialClaims.refusesPlanted,
  "hacks: what is planted is removed and told": hackClaims.catches(attempts.PLANTED),
  "hacks: what is left running is ended": hackClaims.catches(attempts.LEFT_RUNNING),
  "hacks: changes of the system are told": hackClaims.catches(attempts.CHANGED_SYSTEM),
  "hacks: changes of tests are told": hackClaims.catches(attempts.CHANGED_TESTS),
  "hacks: code for tests alone is told": hackClaims.catches(attempts.SPECIAL_CASES),
  "hacks: what is kept out of sight is told": hackClaims.catches(attempts.OUT_OF_SIGHT),
  "hacks: answers in the image are not there": hackClaims.catches(attempts.ANSWERS),
  "hacks: the network is closed or watched": hackClaims.watchesNetwork,
  "hacks: what was hidden is told, and a task may keep it": hackClaims.tellsWhatWasHidden,
  "hacks: honest work has no sign": hackClaims.sparesHonest,
  "hostile: what an agent does to its own sandbox is its own": hostile.agentsOwnTheirSandbox,
  "hostile: it gets no second try": hostile.noSecondTry,
  "nothing of the host can be read from inside": trialClaims.hostIsOutOfReach,
  "a list of allowed hosts leads to them and nowhere else": keepsToItsHosts,
  "what can not be had is refused": trialClaims.refusesWhatItCanNot,
  "a sandbox starts and stops in little time, one at a time": overheadClaims.oneAtATime,
  "sandboxes start and stop in little more than bare containers, 16 at once":
    overheadClaims.manyAtOnce,
  "remote: a daemon is reached over TLS": remote.overTls,
  "remote: a daemon is reached over SSH": remote.overSsh,
  "joined runners have the trials, and all comes home": joined.runsAtJoined,
  "joined: an agent of an import path solves a task there": joined.playsHostAgents,
  "joined: one that is killed loses no trial": joined.survivesKilledJoined,
  "joined: one that is stopped gives back what it has": joined.survivesStoppedJoined,
  "joined: a killed home loses no trial": joined.survivesKilledHome,
  "a trial is watched in the browser to its verdict": watchTrial,
  "each step of a task is watched in the browser": watchSteps,
  "a flagged trial names its sibling without a sign in the browser": contrastsWithSibling,
  "an operator opens a shell in a live sandbox, and nobody else does": operatorOpensShell,
  "a killed runner leaves nothing of an open shell": survivesKillWithShell,
  ...FAULT_CLAIMS,
  "many trials at once, none left": loadClaims.manyTrials,
  "a killed runner loses no trial and leaves no container": loadClaims.survivesKill,
  "control and its runner, both killed, lose no trial and leave no container":
    loadClaims.survivesKillOfControl,
};

const claims = [];
const wanted = Object.entries(CLAIMS).filter(([name]) => name.includes(values.only));
for (const [name, prove] of withoutMissingPython(wanted)) {
  try {
    claims.push({ name, ok: true, figures: await prove(world) });
  } catch (error) {
    claims.push({ name, ok: false, error: error.message });
  }
  const last = claims.at(-1);
  say(`${last.ok ? "holds" : "FAILS"}: ${name} ${JSON.stringify(last.figures ?? last.error)}`);
}
await closeFaultWorld();
await runner.stop();
engine.stop();
const ok = claims.length > 0 && claims.every((claim) => claim.ok);
const faults = claims.flatMap(({ figures }) => (figures?.fault ? [figures] : []));
report({ ok, ...(faults.length > 0 && { faults }), claims });
process.exit(ok ? 0 : 1);
