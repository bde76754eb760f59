// The cluster of the suite: the one that KUBECONFIG leads to, or a whole Kubernetes that ../kubernetes/cluster/start.sh starts here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import {
  ApiextensionsV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  loadYaml,
  RbacAuthorizationV1Api,
} from "@kubernetes/client-node";

const here = fileURLToPath(new URL(".", import.meta.url));
const CRD = join(here, "ray.io_rayjobs.v1.7.0.yaml.gz");

/** Ends what runs of one that was started here, also where it never came up whole. */
export function removeCluster(folder) {
  if (existsSync(folder))
    spawnSync(join(here, "../kubernetes/cluster/stop.sh"), [folder, "--purge"]);
}

export class Cluster {
  /** Throws with the reason where there is none. */
  static start(folder, port = "18443") {
    return process.env.KUBECONFIG ? Cluster.#reached(null) : Cluster.begin(folder, { port });
  }

  /** One of its own, whatever KUBECONFIG says; `node`: kubelet, or kwok, whose pods only pretend to run. */
  static begin(folder, { port, node = "kubelet" }) {
    if (!process.env.K8S_DIR)
      throw new Error(
        "Set KUBECONFIG, or K8S_DIR to a folder with bin/kubehere or prebuilt/kubehere.xz.",
      );
    bringUp(folder, { port, node });
    return Cluster.#reached(folder, { port, node });
  }

  static #reached(folder, place = null) {
    const own = folder !== null;
    const cluster = new Cluster();
    cluster.folder = folder;
    cluster.place = place;
    const config = new KubeConfig();
    if (own) config.loadFromFile(join(folder, "kubeconfig"));
    else config.loadFromDefault();
    cluster.config = config;
    cluster.server = config.getCurrentCluster().server;
    cluster.ca = Buffer.from(config.getCurrentCluster().caData ?? "", "base64");
    cluster.core = config.makeApiClient(CoreV1Api);
    cluster.batch = config.makeApiClient(BatchV1Api);
    cluster.custom = config.makeApiClient(CustomObjectsApi);
    cluster.rbac = config.makeApiClient(RbacAuthorizationV1Api);
    cluster.extensions = config.makeApiClient(ApiextensionsV1Api);
    return cluster;
  }

  get isOwn() {
    return this.folder !== null;
  }

  /** Starts what does not run. */
  bringUp() {
    bringUp(this.folder, this.place);
  }

  killApiServer() {
    this.signal("kube-apiserver", "SIGKILL");
  }

  /** To a part of it that is a process: kube-apiserver, kubelet, containerd. */
  signal(part, signal) {
    process.kill(Number(readFileSync(join(this.folder, "pid", part), "utf8")), signal);
  }

  remove() {
    if (this.isOwn)
      spawnSync(join(here, "../kubernetes/cluster/stop.sh"), [this.folder, "--purge"]);
  }

  /** KubeRay's own definition, whole: the server validates by it. */
  async installCrd() {
    const body = loadYaml(gunzipSync(readFileSync(CRD)).toString("utf8"));
    await this.extensions.createCustomResourceDefinition({ body }).catch((error) => {
      if (error.code !== 409) throw error;
    });
  }

  /** A user's token that may do what `rules` say in `namespace`. */
  async account(name, namespace, rules) {
    await this.core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
    await this.rbac.createNamespacedRole({ namespace, body: { metadata: { name }, rules } });
    await this.rbac.createNamespacedRoleBinding({
      namespace,
      body: {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name, namespace }],
      },
    });
    const { status } = await this.core.createNamespacedServiceAccountToken({
      ...{ name, namespace },
      body: { spec: { audiences: [], expirationSeconds: 36_000 } },
    });
    return status.token;
  }
}

function bringUp(folder, { port, node }) {
  const started = spawnSync(
    join(here, "../kubernetes/cluster/start.sh"),
    [folder, "--port", port, "--node", node],
    { encoding: "utf8" },
  );
  if (started.status !== 0) throw new Error(`cluster/start.sh: ${started.stderr.trim()}`);
}
