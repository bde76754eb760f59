import type {
  V1ObjectMeta,
  V1PodTemplateSpec,
  V1ResourceRequirements,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node";
import { trimEnd } from "@liverl/contract/trim-end";
import { type KubeRaySpec, SEPARATE_ROLLOUT_MODES } from "@liverl/contract/verl-launch";

/** Where a node's containers see what LiveRL brings. */
export const POD_PATHS = {
  code: "/etc/liverl/code",
  secret: "/etc/liverl/secret",
} as const;
const SUBMITTER_CONTAINER = "ray-job-submitter";
export const LABELS = {
  managedBy: "app.kubernetes.io/managed-by",
  run: "liverl.dev/run",
  attempt: "liverl.dev/attempt",
  /** The RayJob's name: one launch of one attempt. */
  launch: "liverl.dev/launch",
  role: "liverl.dev/role",
} as const;
/** Time to read the last lines of its pods before the cluster is taken down. */
const TTL_S = 60;
/** The first Ray with tokens. */
const TOKENS_SINCE = [2, 52] as const;

interface RayGroup {
  template: V1PodTemplateSpec;
  rayStartParams: Record<string, string>;
}
/** What LiveRL writes of a RayJob (ray.io/v1, KubeRay 1.7). */
export interface RayJobManifest {
  apiVersion: "ray.io/v1";
  kind: "RayJob";
  metadata: V1ObjectMeta & { name: string };
  spec: {
    entrypoint: string;
    submissionMode: "K8sJobMode";
    backoffLimit: number;
    shutdownAfterJobFinishes: boolean;
    ttlSecondsAfterFinished: number;
    preRunningDeadlineSeconds: number;
    metadata: Record<string, string>;
    submitterPodTemplate: V1PodTemplateSpec;
    rayClusterSpec: {
      rayVersion: string;
      authOptions?: { mode: "token" };
      headGroupSpec: RayGroup;
      workerGroupSpecs: (RayGroup & {
        groupName: string;
        replicas: number;
        minReplicas: number;
        maxReplicas: number;
      })[];
    };
  };
}

/** The objects' names, by the RayJob's own. */
export const codeName = (name: string) => `${name}-code`;
export const secretName = (name: string) => `${name}-secret`;
export const envName = (name: string) => `${name}-env`;

/**
 * A RayJob with a head that has no GPU and a group of nodes for each of the layout's pools. The entrypoint is one plain
 * word behind a shell's name: KubeRay pastes it into a shell line of its own, and `ray job submit` quotes what it gets
 * anew, so arguments would not arrive as they are. Pure.
 */
export function buildRayJobManifest(
  spec: KubeRaySpec,
  launch: {
    name: string;
    runId: string;
    attempt: number;
    /** Keys of the ConfigMap by their paths below `POD_PATHS.code`. */
    code: ReadonlyMap<string, string>;
  },
): RayJobManifest {
  const { name, runId, attempt } = launch;
  const { target } = spec;
  const labels = labelsOf(name, runId, attempt);
  return {
    apiVersion: "ray.io/v1",
    kind: "RayJob",
    metadata: {
      name,
      labels,
      annotations: { [LABELS.run]: runId, [LABELS.attempt]: String(attempt) },
    },
    spec: {
      entrypoint: `sh ${POD_PATHS.secret}/start.sh`,
      submissionMode: "K8sJobMode",
      // A second cluster would train the same steps again: LiveRL resumes as an attempt of its own.
      backoffLimit: 0,
      shutdownAfterJobFinishes: true,
      ttlSecondsAfterFinished: TTL_S,
      preRunningDeadlineSeconds: target.pre_running_deadline_s,
      metadata: { liverl_run: runId, liverl_attempt: String(attempt) },
      submitterPodTemplate: submitter(target.image, labels),
      rayClusterSpec: buildCluster(spec, { ...launch, labels }),
    },
  };
}

interface Launched {
  name: string;
  labels: Record<string, string>;
  code: ReadonlyMap<string, string>;
}

function buildCluster(
  { target, layout, algorithm }: KubeRaySpec,
  launched: Launched,
): RayJobManifest["spec"]["rayClusterSpec"] {
  const { head_cpu, head_memory_gb, worker_cpu, worker_memory_gb } = target;
  const workers = (role: string, nodes: number, gpus: number) => ({
    groupName: role,
    ...{ replicas: nodes, minReplicas: nodes, maxReplicas: nodes },
    rayStartParams: {},
    template: rayPod(target, launched, role, { cpu: worker_cpu, memoryGb: worker_memory_gb, gpus }),
  });
  const hasOwnPool = SEPARATE_ROLLOUT_MODES.includes(algorithm.trainer_mode);
  return {
    rayVersion: target.ray_version,
    ...(hasTokens(target.ray_version) && { authOptions: { mode: "token" as const } }),
    headGroupSpec: {
      rayStartParams: { "dashboard-host": "0.0.0.0" },
      template: rayPod(target, launched, "head", {
        ...{ cpu: head_cpu, memoryGb: head_memory_gb, gpus: 0 },
      }),
    },
    workerGroupSpecs: [
      workers("trainer", layout.nnodes, layout.n_gpus_per_node),
      ...(hasOwnPool && layout.rollout_nnodes > 0
        ? [workers("rollout", layout.rollout_nnodes, layout.rollout_n_gpus_per_node)]
        : []),
    ],
  };
}

interface Size {
  cpu: number;
  memoryGb: number;
  gpus: number;
}

function rayPod(
  { image, volumes: claims }: KubeRaySpec["target"],
  { name, labels, code }: Launched,
  role: string,
  size: Size,
): V1PodTemplateSpec {
  const volumes = volumesOf(name, code, claims, size.memoryGb / 2);
  return {
    metadata: { labels: { ...labels, [LABELS.role]: role } },
    spec: {
      // Agents' words reach these pods: nothing of the cluster's API is for them.
      automountServiceAccountToken: false,
      containers: [
        {
          name: role === "head" ? "ray-head" : "ray-worker",
          image,
          resources: resources(size),
          envFrom: [{ secretRef: { name: envName(name) } }],
          volumeMounts: volumes.map(({ mount }) => mount),
        },
      ],
      ...(size.gpus > 0 && {
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      }),
      volumes: volumes.map(({ volume }) => volume),
    },
  };
}

/** It runs `ray job submit` and prints the job's log. */
function submitter(image: string, labels: Record<string, string>): V1PodTemplateSpec {
  const requests = { cpu: "500m", memory: "200Mi" };
  const limits = { cpu: "1", memory: "1Gi" };
  return {
    metadata: { labels: { ...labels, [LABELS.role]: "submitter" } },
    spec: {
      automountServiceAccountToken: false,
      restartPolicy: "Never",
      containers: [{ name: SUBMITTER_CONTAINER, image, resources: { requests, limits } }],
    },
  };
}

/** Labels of every object of one launch. Values have at most 63 characters; annotations have the whole. */
export function labelsOf(name: string, runId: string, attempt: number): Record<string, string> {
  return {
    [LABELS.managedBy]: "liverl",
    [LABELS.run]: labelValue(runId),
    [LABELS.attempt]: String(attempt),
    [LABELS.launch]: name,
  };
}

/** KubeRay takes 47 characters: a RayCluster's name with five more and a dash stays below its services' limit. */
const LONGEST_NAME = 47;

/** A RayJob's name for an attempt, a DNS-1035 label; `mark` (8 characters) tells launches of equal names apart. Pure. */
export function rayJobName(runId: string, attempt: number, mark: string): string {
  const end = `-${attempt}-${mark}`;
  const slug = `lrl-${runId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return `${trimEnd(slug.slice(0, LONGEST_NAME - end.length), "-")}${end}`;
}

function labelValue(text: string): string {
  const label = text.replaceAll(/[^A-Za-z0-9_.-]/g, "-").slice(0, 63);
  return /[A-Za-z0-9](?:.*[A-Za-z0-9])?/.exec(label)?.[0] ?? "";
}

function resources({ cpu, memoryGb, gpus }: Size): V1ResourceRequirements {
  const all = {
    cpu: `${Math.round(cpu * 1000)}m`,
    memory: `${Math.round(memoryGb * 1000)}M`,
    ...(gpus > 0 && { "nvidia.com/gpu": String(gpus) }),
  };
  return { requests: all, limits: all };
}

function volumesOf(
  name: string,
  code: ReadonlyMap<string, string>,
  claims: readonly string[],
  shmGb: number,
): { volume: V1Volume; mount: V1VolumeMount }[] {
  const items = [...code].map(([path, key]) => ({ key, path }));
  return [
    {
      volume: { name: "liverl-code", configMap: { name: codeName(name), items } },
      mount: { name: "liverl-code", mountPath: POD_PATHS.code, readOnly: true },
    },
    {
      volume: { name: "liverl-secret", secret: { secretName: secretName(name) } },
      mount: { name: "liverl-secret", mountPath: POD_PATHS.secret, readOnly: true },
    },
    {
      // Ray's objects, NCCL and the engines' queues: a container has 64 MiB of its own.
      volume: {
        name: "shm",
        emptyDir: { medium: "Memory", sizeLimit: `${Math.round(shmGb * 1000)}M` },
      },
      mount: { name: "shm", mountPath: "/dev/shm" },
    },
    ...claims.map((claim, i) => {
      const [claimName = "", mountPath = ""] = claim.split(/:(.*)/s);
      return {
        volume: { name: `claim-${i}`, persistentVolumeClaim: { claimName } },
        mount: { name: `claim-${i}`, mountPath },
      };
    }),
  ];
}

function hasTokens(rayVersion: string): boolean {
  const [major = 0, minor = 0] = rayVersion.split(".").map(Number);
  return major > TOKENS_SINCE[0] || (major === TOKENS_SINCE[0] && minor >= TOKENS_SINCE[1]);
}
