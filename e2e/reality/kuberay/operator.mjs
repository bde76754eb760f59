// Stands in for KubeRay's operator, which the suite has not: writes the statuses that it documents (status subresource) and
// makes the submitter's Job as rayjob_controller.go (v1.7.0) does. No Ray runs: the job's own entrypoint runs in a pod
// with the head's files and variables, and prints what verl prints. API server, pods, logs and deletions are real.
import { setTimeout as sleep } from "node:timers/promises";
import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";

const KIND = { group: "ray.io", version: "v1", plural: "rayjobs" };
const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const now = () => new Date().toISOString().replace(/\.\d+/, "");

export class Operator {
  #isStopped = false;
  #taken = new Set();
  /** RayJobs of these runs are left to the claim. */
  manual = new Set();
  image = process.env.KUBERAY_IMAGE ?? "here/busybox:1";

  constructor(cluster, namespace) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  start() {
    this.serving = this.#serve();
  }

  async stop() {
    this.#isStopped = true;
    await this.serving;
  }

  async #serve() {
    while (!this.#isStopped) {
      for (const job of await this.list().catch(() => [])) {
        const run = runOf(job);
        const key = job.metadata.uid;
        if (this.#taken.has(key) || [...this.manual].some((name) => run.startsWith(`${name}-`)))
          continue;
        this.#taken.add(key);
        this.drive(job).catch((error) =>
          process.stderr.write(`operator: ${run}: ${error.message}\n`),
        );
      }
      await sleep(200);
    }
  }

  async list() {
    const { items } = await this.cluster.custom.listNamespacedCustomObject({
      ...KIND,
      namespace: this.namespace,
    });
    return items;
  }

  /** The RayJob of a run; null where there is none. */
  async find(run) {
    return (await this.list()).find((job) => runOf(job) === run) ?? null;
  }

  async status(name, status) {
    await this.cluster.custom.patchNamespacedCustomObjectStatus(
      { ...KIND, namespace: this.namespace, name, body: { status } },
      MERGE,
    );
  }

  /** A RayJob's whole life, as the operator leads it. */
  async drive(job) {
    const { name } = job.metadata;
    await this.status(name, {
      ...{ jobDeploymentStatus: "Initializing", jobStatus: "", startTime: now() },
      ...{ rayClusterName: `${name}-abcde`, jobId: `${name}-xyz12` },
    });
    await sleep(1000);
    await this.submit(job);
    const end = await this.untilJobEnds(job);
    if (end === null) return;
    await this.status(
      name,
      end === 0
        ? {
            jobDeploymentStatus: "Complete",
            jobStatus: "SUCCEEDED",
            endTime: now(),
            message: "Job finished successfully.",
          }
        : {
            ...{
              jobDeploymentStatus: "Failed",
              jobStatus: "FAILED",
              endTime: now(),
              reason: "AppFailed",
            },
            message: `Job entrypoint command failed with exit code ${end}, last available logs (truncated to 20,000 chars):\n…`,
          },
    );
  }

  async submit(job) {
    const { name, uid } = job.metadata;
    const { submitterPodTemplate: template, entrypoint, rayClusterSpec } = job.spec;
    const head = rayClusterSpec.headGroupSpec.template.spec;
    const { volumeMounts, envFrom } = head.containers[0];
    const container = {
      ...{
        name: template.spec.containers[0].name,
        image: this.image,
        imagePullPolicy: "IfNotPresent",
      },
      command: ["/bin/sh", "-c", entrypoint],
      ...{
        envFrom,
        volumeMounts: [...volumeMounts, { name: "stand-in", mountPath: "/opt/stand-in" }],
      },
    };
    const labels = {
      "ray.io/originated-from-cr-name": name,
      "ray.io/originated-from-crd": "RayJob",
      "app.kubernetes.io/created-by": "kuberay-operator",
    };
    const owner = {
      apiVersion: "ray.io/v1",
      kind: "RayJob",
      name,
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    await this.cluster.batch.createNamespacedJob({
      namespace: this.namespace,
      body: {
        metadata: { name, labels, ownerReferences: [owner] },
        spec: {
          backoffLimit: 0,
          template: {
            metadata: { labels: { ...template.metadata.labels, ...labels } },
            spec: {
              ...{ ...template.spec, terminationGracePeriodSeconds: 1, containers: [container] },
              volumes: [
                ...head.volumes,
                { name: "stand-in", configMap: { name: "stand-in", defaultMode: 0o755 } },
              ],
            },
          },
        },
      },
    });
    await this.untilPod(name);
    await this.status(name, { jobDeploymentStatus: "Running", jobStatus: "RUNNING" });
  }

  async pods(name) {
    const labelSelector = `liverl.dev/launch=${name}`;
    return (await this.cluster.core.listNamespacedPod({ namespace: this.namespace, labelSelector }))
      .items;
  }

  async untilPod(name) {
    for (;;) {
      const [pod] = await this.pods(name).catch(() => []);
      const state = pod?.status?.containerStatuses?.[0]?.state;
      if (state?.running || state?.terminated) return pod;
      await sleep(200);
    }
  }

  /** The exit code; null where the RayJob was deleted meanwhile. */
  async untilJobEnds({ metadata: { name, uid } }) {
    for (;;) {
      try {
        if (!(await this.list()).some((job) => job.metadata.uid === uid)) return null;
        const [pod] = await this.pods(name);
        const ended = pod?.status?.containerStatuses?.[0]?.state?.terminated;
        if (ended) return ended.exitCode;
      } catch {
        // The API server is away.
      }
      await sleep(300);
    }
  }

  /** A pod's whole log, as the server has it. */
  async log(name) {
    const [pod] = await this.pods(name);
    return this.cluster.core.readNamespacedPodLog({
      namespace: this.namespace,
      name: pod.metadata.name,
    });
  }
}

const runOf = (job) => job.metadata.annotations?.["liverl.dev/run"] ?? "";
