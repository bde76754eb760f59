// Trials of tasks in Harbor's format in pods of a real Kubernetes: `npm run e2e:reality -- kubernetes [--trials=6] [--only=TEXT]`;
// TEXT is part of a claim's name. The runner and the proxy are the built ones; the engine is a stand-in with given turns.
//   K8S_DIR      a folder with bin/kubehere or prebuilt/kubehere.xz: cluster/start.sh starts a whole Kubernetes here (root, containerd)
//   DOCKER_HOST  a daemon that has here/agent:1 (docker/make-base-image.sh makes it), which is loaded into the node
//   LIVERL_PYTHON  a Python 3.12 or newer with pip, for agents of Python; without one their claims are left out, which is said
// The API server stands behind a gate that can be busy, forget or fall silent: what it lets through is the real one's answer.
// Prints one JSON object last. Exit code 0 when all claims hold, or when there is no cluster, which it says.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { say } from "../../../bench/liverl.mjs";
import { agentSolves } from "../docker/agent-claims.mjs";
import { offerOwnAgents, withoutMissingPython } from "../docker/agents-of-python.mjs";
import { buildRunner } from "../docker/runner.mjs";
import { hidesEarlierTests, playsSteps } from "../docker/step-claims.mjs";
import { FAULT_CLAIMS } from "./faults/fault-claims.mjs";
import * as manyClaims from "./many-claims.mjs";
import * as claimsOf from "./pod-claims.mjs";
import { startPodWorld } from "./pod-world.mjs";
import { opensShell } from "./shell-claim.mjs";

const { values } = parseArgs({
  options: { trials: { type: "string", default: "6" }, only: { type: "string", default: "" } },
});
const report = (value) =>
  process.stdout.write(`${JSON.stringify({ name: "kubernetes", ...value })}\n`);

function skip(reason) {
  say(`SKIPPED: no pod was started. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

/** On a node whose kubelet is fake: no container, no exec, any number of pods. */
const OF_OBJECTS = {
  "a thousand pods at once cost the API server two calls each": manyClaims.costIsFlat,
  "429 and 410 in the middle of a thousand pods lose none": manyClaims.survivesTrouble,
};
const OF_PODS = {
  "oracle has 1 and nop has 0 on three tasks": claimsOf.oracleAndNop,
  "the mini agent solves a task in a pod, with exact tokens": agentSolves("mini"),
  "Claude Code solves a task in a pod, with exact tokens": agentSolves("claude-code"),
  "Codex solves a task in a pod, with exact tokens": agentSolves("codex"),
  "OpenCode solves a task in a pod, with exact tokens": agentSolves("opencode"),
  "mini-swe-agent solves a task in a pod, with exact tokens": agentSolves("mini-swe-agent"),
  "OpenHands solves a task in a pod, with exact tokens": agentSolves("openhands-sdk"),
  "Terminus 2 solves a task in a pod from outside": agentSolves("terminus-2"),
  "an agent of an import path solves a task in a pod from outside":
    agentSolves("own_agents:AskOnce"),
  "pods are hardened, and network policies are there": claimsOf.isHardened,
  "planted rewards and tests do not count, and what was left running is dead":
    claimsOf.refusesPlanted,
  "a verifier's own pod has the artifacts and nothing else of the agent's": claimsOf.verifiesApart,
  "steps: oracle and nop, the gate, both strategies, Harbor's layout": playsSteps,
  "steps: tests of one are hidden from the agent of the next": hidesEarlierTests,
  "an operator opens a shell in a pod": opensShell,
  "what can not be had is refused, with what to do": claimsOf.refusesWhatItCanNot,
  "memory that ran out is told": claimsOf.outOfMemory,
  "429 is waited out": claimsOf.busy,
  "a watch that has expired (410) begins anew": claimsOf.expired,
  "a killed runner loses no trial and leaves no pod": claimsOf.runnerKilled,
  ...FAULT_CLAIMS,
};

if (!process.env.K8S_DIR)
  skip("Set K8S_DIR to a folder with bin/kubehere or prebuilt/kubehere.xz.");
buildRunner(["many-pods"]);
const directory = mkdtempSync(join(tmpdir(), "lrl-pods-"));
delete process.env.KUBECONFIG;
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => process.exit(1));

const claims = [];
async function proveAll(wanted, world) {
  for (const [name, prove] of wanted) {
    try {
      claims.push({ name, ok: true, figures: await prove(world) });
    } catch (error) {
      claims.push({ name, ok: false, error: error.message });
    }
    const last = claims.at(-1);
    say(`${last.ok ? "holds" : "FAILS"}: ${name} ${JSON.stringify(last.figures ?? last.error)}`);
  }
}

const wantedOf = (named) =>
  withoutMissingPython(Object.entries(named).filter(([name]) => name.includes(values.only)));

const ofPods = wantedOf(OF_PODS);
if (ofPods.length > 0) {
  offerOwnAgents();
  let world;
  try {
    world = await startPodWorld({ directory, trials: Number(values.trials) });
  } catch (error) {
    skip(error.message);
  }
  await proveAll(ofPods, world);
  await world.stop();
}
await proveAll(wantedOf(OF_OBJECTS), { directory });
const ok = claims.length > 0 && claims.every((claim) => claim.ok);
const faults = claims.flatMap(({ figures }) => (figures?.fault ? [figures] : []));
report({ ok, ...(faults.length > 0 && { faults }), claims });
process.exit(ok ? 0 : 1);
