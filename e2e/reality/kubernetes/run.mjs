// Trials of tasks in Harbor's format in pods of a real Kubernetes: `npm run e2e:reality -- kubernetes [--trials=6] [--only=TEXT]`;
// TEXT is part of a claim's name. The runner and the proxy are the built ones; the engine is a stand-in with given turns.
//   K8S_DIR      a folder with bin/kubehere or prebuilt/kubehere.xz: cluster/start.sh starts a whole Kubernetes here (root, containerd)
//   DOCKER_HOST  a daemon that has here/agent:1 (docker/make-base-image.sh makes it), which is loaded into the node
// The API server stands behind a gate that can be busy or forget: what it lets through is the real one's answer.
// Prints one JSON object last. Exit code 0 when all claims hold, or when there is no cluster, which it says.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NetworkingV1Api } from "@kubernetes/client-node";
import { benchModel } from "../../../bench/bench-model.mjs";
import { say } from "../../../bench/liverl.mjs";
import { agentSolves } from "../docker/agent-claims.mjs";
import { buildRunner, Runner } from "../docker/runner.mjs";
import { Cluster, removeCluster } from "../kuberay/cluster.mjs";
import { Gate } from "../kuberay/gate.mjs";
import * as claimsOf from "./pod-claims.mjs";
import { opensShell } from "./shell-claim.mjs";

const { values } = parseArgs({
  options: { trials: { type: "string", default: "6" }, only: { type: "string", default: "" } },
});
const NAMESPACE = "sandboxes";
const STORAGE_MB = 200;
const report = (value) =>
  process.stdout.write(`${JSON.stringify({ name: "kubernetes", ...value })}\n`);

function skip(reason) {
  say(`SKIPPED: no real pod was started. ${reason}`);
  report({ ok: false, skipped: reason });
  process.exit(0);
}

buildRunner();
const directory = mkdtempSync(join(tmpdir(), "lrl-pods-"));
delete process.env.KUBECONFIG;
process.once("exit", () => {
  removeCluster(join(directory, "k"));
  rmSync(directory, { recursive: true, force: true });
});
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => process.exit(1));
let cluster;
try {
  cluster = Cluster.start(join(directory, "k"), "19443");
} catch (error) {
  skip(error.message);
}
const load = `docker save here/agent:1 | ctr --address ${directory}/k/node/containerd.sock -n k8s.io images import -`;
if (
  spawnSync("bash", ["-o", "pipefail", "-c", load], { stdio: ["ignore", "ignore", "inherit"] })
    .status !== 0
)
  skip(
    "here/agent:1 could not be loaded: set DOCKER_HOST and run docker/make-base-image.sh agent.",
  );
await cluster.core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
const gate = await new Gate(cluster.server, cluster.ca).start();
const kubeconfig = join(directory, "kubeconfig");
const named = { name: "here" };
writeFileSync(
  kubeconfig,
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
    clusters: [{ ...named, cluster: { server: gate.url, "insecure-skip-tls-verify": true } }],
    users: [
      { ...named, user: { token: await cluster.account("liverl", NAMESPACE, claimsOf.RULES) } },
    ],
    contexts: [{ ...named, context: { cluster: "here", user: "here", namespace: NAMESPACE } }],
  }),
);
Object.assign(process.env, {
  KUBECONFIG: kubeconfig,
  LIVERL_SANDBOX: "kubernetes",
  LIVERL_KUBE_POLICIES_ENFORCED: "1",
  LIVERL_KUBE_PULL_POLICY: "Never",
  LIVERL_KUBE_HELPER_IMAGE: "here/busybox:1",
  LIVERL_KUBE_STORAGE_MB: String(STORAGE_MB),
  LIVERL_KUBE_AGENTS: join(directory, "agents"),
});
const runner = new Runner(join(directory, "data"));
await runner.start();

let runs = 0;
async function registerRun(agent, more = {}) {
  const runId = `run-${++runs}`;
  const { status, content } = await runner.register(runId, {
    project: "docker",
    pool: {
      engines: [{ url: "http://127.0.0.1:1" }],
      engineKeyPath: null,
      modelDir: benchModel(),
      modelName: "bench",
      maxModelLen: 32_768,
    },
    ...{ concurrency: 3, maxTurns: 2, rolloutTimeoutS: 120, agent },
    ...more,
  });
  if (status !== 200) throw new Error(`the run was refused: ${JSON.stringify(content)}`);
  return runId;
}

const world = {
  ...{ cluster, gate, directory, runner, registerRun, namespace: NAMESPACE },
  networking: cluster.config.makeApiClient(NetworkingV1Api),
  trials: Number(values.trials),
  // The network plugin here stores policies and enforces none.
  isCutOff: false,
  noneLeft: () => claimsOf.noneLeft(world),
  podsOf: async (instance) =>
    (
      await cluster.core.listNamespacedPod({
        namespace: NAMESPACE,
        labelSelector: `liverl.dev/instance=${instance}`,
      })
    ).items,
};
const CLAIMS = {
  "oracle has 1 and nop has 0 on three tasks": claimsOf.oracleAndNop,
  "the mini agent solves a task in a pod, with exact tokens": agentSolves("mini"),
  "Claude Code solves a task in a pod, with exact tokens": agentSolves("claude-code"),
  "Codex solves a task in a pod, with exact tokens": agentSolves("codex"),
  "OpenCode solves a task in a pod, with exact tokens": agentSolves("opencode"),
  "pods are hardened, and network policies are there": claimsOf.isHardened,
  "planted rewards and tests do not count, and what was left running is dead":
    claimsOf.refusesPlanted,
  "a verifier's own pod has the artifacts and nothing else of the agent's": claimsOf.verifiesApart,
  "an operator opens a shell in a pod": opensShell,
  "what can not be had is refused, with what to do": claimsOf.refusesWhatItCanNot,
  "an image that is not there is told, and no reward": claimsOf.imageMissing,
  "a quota's refusal is told, and no reward": claimsOf.quota,
  "memory that ran out is told": claimsOf.outOfMemory,
  "an eviction is told, and no reward": claimsOf.evicted,
  "429 is waited out": claimsOf.busy,
  "an API server killed with -9 in the middle loses no trial": claimsOf.apiServerKilled,
  // After that: a server that has just begun still knows its first version.
  "a watch that has expired (410) begins anew": claimsOf.expired,
  "a killed runner loses no trial and leaves no pod": claimsOf.runnerKilled,
};
const claims = [];
for (const [name, prove] of Object.entries(CLAIMS)) {
  if (!name.includes(values.only)) continue;
  try {
    claims.push({ name, ok: true, figures: await prove(world) });
  } catch (error) {
    claims.push({ name, ok: false, error: error.message });
  }
  const last = claims.at(-1);
  say(`${last.ok ? "holds" : "FAILS"}: ${name} ${JSON.stringify(last.figures ?? last.error)}`);
}
await runner.stop();
gate.stop();
const ok = claims.length > 0 && claims.every((claim) => claim.ok);
report({ ok, claims });
process.exit(ok ? 0 : 1);
