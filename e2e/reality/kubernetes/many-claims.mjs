// A thousand pods at once, on a node whose kubelet is fake (kwok): what they cost the API server, the runner's own code asking.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "../../../bench/liverl.mjs";
import { demand } from "../docker/rollouts.mjs";
import { Cluster, removeCluster } from "../kuberay/cluster.mjs";
import { makeWayIn, NAMESPACE } from "./way-in.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const PORT = "19463";
const MANY = 1_000;
const SIZES = [10, 100, MANY];
const CREATES_PER_S = 40;
/** Timers and the gate itself are not exact: a limit that is not kept lets through many times as many. */
const PACE_SLACK = 1.15;
const WINDOW_MS = 2_000;
/** Of the runner's process, above what it needs for ten pods. */
const MOST_MB = 150;
/** What all pods need together: a list and a watch, and both again where the server is silent under its load. */
const SHARED = new Set(["list pods", "watch pods", "create networkpolicies"]);
const MOST_SHARED = 7;
const REFUSALS = 50;
const RUNNING_MS = 300_000;
const GONE_MS = 120_000;

/** A cluster of its own, which is gone after `work`. */
async function withFakeNode({ directory }, name, work) {
  const folder = join(directory, name);
  mkdirSync(folder, { recursive: true });
  // Before whatever removes the folder that it is in.
  process.prependOnceListener("exit", () => removeCluster(join(folder, "k")));
  const cluster = Cluster.begin(join(folder, "k"), { port: PORT, node: "kwok" });
  try {
    // A server that has just begun still knows its first version: another life of it does not.
    cluster.killApiServer();
    cluster.bringUp();
    const { gate, kubeconfig } = await makeWayIn(cluster, folder);
    const result = await work({ cluster, gate, kubeconfig });
    gate.stop();
    return result;
  } finally {
    removeCluster(join(folder, "k"));
  }
}

/** The runner's own code in a process of its own, step by step. */
class ManyPods {
  constructor(count, kubeconfig) {
    this.instance = `many${count}`;
    this.child = spawn(
      process.execPath,
      ["dist/many-pods.mjs", `--pods=${count}`, `--instance=${this.instance}`],
      {
        cwd: root,
        env: {
          ...process.env,
          KUBECONFIG: kubeconfig,
          LIVERL_KUBE_CREATES_PER_S: String(CREATES_PER_S),
        },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    this.steps = [];
    createInterface(this.child.stdout).on("line", (line) => this.steps.push(JSON.parse(line)));
    process.once("exit", () => this.child.kill());
  }

  async step(name, timeoutMs) {
    return await until(() => this.steps.find(({ step }) => step === name), {
      what: `pods are ${name}`,
      timeoutMs,
      everyMs: 50,
    });
  }

  async remove() {
    this.child.stdin.write("remove\n");
    return await this.step("removed", GONE_MS);
  }

  async end() {
    if (this.child.exitCode === null) await once(this.child, "exit");
  }
}

/** What the cluster itself has of them. */
async function phasesOf({ core }, { instance }) {
  const { items } = await core.listNamespacedPod({
    namespace: NAMESPACE,
    labelSelector: `liverl.dev/instance=${instance}`,
  });
  const phases = {};
  for (const { status } of items) phases[status.phase] = (phases[status.phase] ?? 0) + 1;
  return phases;
}

/** Calls by verb; a pod that was refused is asked for again. */
function countCalls(calls) {
  const counts = {};
  for (const { verb, status } of calls) {
    const name = status === 429 ? "refused with 429" : verb;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The most tries to make a pod in any second, over some seconds. */
function paceOf(calls) {
  const times = calls.filter(({ verb }) => verb === "create pods").map(({ atMs }) => atMs);
  times.sort((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last] - times[first] >= WINDOW_MS) first++;
    most = Math.max(most, last - first + 1);
  }
  return most / (WINDOW_MS / 1_000);
}

/** `count` pods at once, made, seen and removed; `trouble` comes while they are made. */
async function play({ cluster, gate, kubeconfig }, count, trouble = null) {
  gate.calls = [];
  const many = new ManyPods(count, kubeconfig);
  const made = () => gate.calls.filter((call) => call.verb === "create pods").length;
  const troubled = trouble?.(gate, made);
  const running = await many.step("running", RUNNING_MS);
  await troubled;
  const calls = [...gate.calls];
  const phases = await phasesOf(cluster, many);
  const removed = await many.remove();
  await many.end();
  const left = await phasesOf(cluster, many);
  demand(
    running.done === count && phases.Running === count,
    `${count} pods were asked for: ${JSON.stringify({ running, phases })}`,
  );
  demand(
    removed.done === count && Object.keys(left).length === 0,
    `pods are left: ${JSON.stringify({ removed, left })}`,
  );
  const pace = paceOf(calls);
  demand(pace <= CREATES_PER_S * PACE_SLACK, `${pace} pods were made in a second`);
  return {
    pods: count,
    calls: countCalls(gate.calls),
    mostCreatesPerS: pace,
    startS: running.seconds,
    removeS: removed.seconds,
    heapMb: running.heapMb,
    maxRssMb: removed.maxRssMb,
    cpuMsPerPod: Math.round((removed.cpuS * 1_000) / count),
  };
}

/** Two calls a pod and a fixed few for all of them; 1,000 pods need no more of either than 10 do. */
export async function costIsFlat(world) {
  return await withFakeNode(world, "flat", async (place) => {
    const sizes = [];
    for (const count of SIZES) sizes.push(await play(place, count));
    for (const { pods, calls } of sizes) {
      const { "create pods": created, "delete pods": deleted, ...others } = calls;
      demand(created === pods && deleted === pods, `${pods} pods: ${JSON.stringify(calls)}`);
      const more = Object.keys(others).filter((verb) => !SHARED.has(verb));
      const shared = Object.values(others).reduce((sum, n) => sum + n, 0);
      demand(
        more.length === 0 && shared <= MOST_SHARED,
        `more was asked for than a few lists, watches and a policy: ${JSON.stringify(calls)}`,
      );
    }
    const [few, , most] = sizes;
    demand(
      most.maxRssMb - few.maxRssMb <= MOST_MB,
      `${MANY} pods took ${most.maxRssMb - few.maxRssMb} MB more than ${few.pods}`,
    );
    return { sizes };
  });
}

/** A server that is busy, then one that ends the watch and has forgotten its version, in the middle of a thousand. */
export async function survivesTrouble(world) {
  return await withFakeNode(world, "trouble", async (place) => {
    const { gate } = place;
    const figures = await play(place, MANY, async (_, made) => {
      const whenMade = (count) =>
        until(() => made() >= count, {
          what: `${count} pods`,
          timeoutMs: RUNNING_MS,
          everyMs: 20,
        });
      await whenMade(MANY * 0.3);
      gate.busy = REFUSALS;
      await whenMade(MANY * 0.6);
      gate.stale = 1;
      gate.cutWatches();
    });
    const { calls } = figures;
    demand(calls["refused with 429"] === REFUSALS, `refusals: ${JSON.stringify(calls)}`);
    demand(gate.expired === 1, `${gate.expired} watches had expired`);
    demand(calls["create pods"] === MANY, `a pod was made twice: ${JSON.stringify(calls)}`);
    // After each of the two ends of the watch both again; a list has two pages here.
    demand(
      calls["list pods"] + calls["watch pods"] <= 2 * MOST_SHARED,
      `lists and watches: ${JSON.stringify(calls)}`,
    );
    return { ...figures, expired: gate.expired };
  });
}
