// What the claims about real pods need: a cluster with a kubelet, the image of the tasks on its node, and the built runner.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { NetworkingV1Api } from "@kubernetes/client-node";
import { benchModel } from "../../../bench/bench-model.mjs";
import { whileInstalling } from "../docker/agent-claims.mjs";
import { Runner } from "../docker/runner.mjs";
import { Cluster, removeCluster } from "../kuberay/cluster.mjs";
import { noneLeft } from "./pod-claims.mjs";
import { makeWayIn, NAMESPACE } from "./way-in.mjs";

const STORAGE_MB = 200;
const PORT = "19443";

function loadImage(folder) {
  const load = `docker save here/agent:1 | ctr --address ${folder}/node/containerd.sock -n k8s.io images import -`;
  const { status } = spawnSync("bash", ["-o", "pipefail", "-c", load], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0)
    throw new Error(
      "here/agent:1 could not be loaded: set DOCKER_HOST and run docker/make-base-image.sh agent.",
    );
}

/** Throws with the reason where there is none. */
export async function startPodWorld({ directory, trials }) {
  const folder = join(directory, "k");
  // Before whatever removes the folder that it is in.
  process.prependOnceListener("exit", () => removeCluster(folder));
  const cluster = Cluster.begin(folder, { port: PORT });
  loadImage(folder);
  const { gate, kubeconfig } = await makeWayIn(cluster, directory);
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
  const world = {
    ...{ cluster, gate, directory, runner, trials, namespace: NAMESPACE },
    registerRun: registrar(runner),
    networking: cluster.config.makeApiClient(NetworkingV1Api),
    kubectl: (...words) => kubectl(folder, words),
    // The network plugin here stores policies and enforces none.
    isCutOff: false,
    noneLeft: () => noneLeft(world),
    podsOf: async (instance) =>
      (
        await cluster.core.listNamespacedPod({
          namespace: NAMESPACE,
          labelSelector: `liverl.dev/instance=${instance}`,
        })
      ).items,
    stop: async () => {
      await runner.stop();
      gate.stop();
    },
  };
  return world;
}

/** As the cluster's admin, in the namespace of the sandboxes. */
function kubectl(folder, words) {
  const { status, stderr } = spawnSync("kubectl", ["-n", NAMESPACE, ...words], {
    env: { ...process.env, KUBECONFIG: join(folder, "kubeconfig") },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`kubectl ${words[0]}: ${stderr}`);
}

/** Tells the runner of a new run each time. */
function registrar(runner) {
  let runs = 0;
  return async (agent, more = {}) => {
    const runId = `run-${++runs}`;
    const given = {
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
    };
    const { status, content } = await whileInstalling(() => runner.register(runId, given));
    if (status !== 200) throw new Error(`the run was refused: ${JSON.stringify(content)}`);
    return runId;
  };
}
