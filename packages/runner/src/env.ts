import { SandboxKind } from "@liverl/contract/rollout";
import { z } from "zod";

const Env = z.object({
  LIVERL_LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info"),
  /** Trials of tasks in Harbor's format that this runner has at once, at most, while others may join; left out, no limit. */
  LIVERL_TRIALS_HERE: z.coerce.number().int().min(0).optional(),
  /** Where tasks in Harbor's format run. */
  LIVERL_SANDBOX: SandboxKind.default("docker"),
  /** Has busybox with its ip: it takes the way to private addresses from the network of sandboxes on Docker. */
  LIVERL_DOCKER_HELPER_IMAGE: z.string().min(1).default("docker.io/library/busybox:1.37-musl"),
  /** Resolvers of public sandboxes on Docker, by their addresses. */
  LIVERL_DOCKER_DNS: z.string().default("1.1.1.1,8.8.8.8"),
  /** Private IPv4 addresses that public sandboxes on Docker may reach; none by default. */
  LIVERL_DOCKER_ALLOW: z.string().default(""),
  /** Of the kubeconfig; left out, its current one. */
  LIVERL_KUBE_CONTEXT: z.string().min(1).optional(),
  /** Left out, the context's own. */
  LIVERL_KUBE_NAMESPACE: z.string().min(1).optional(),
  /** 1: the cluster's network plugin enforces NetworkPolicy. Without it there is no sandbox without a network. */
  LIVERL_KUBE_POLICIES_ENFORCED: z.enum(["0", "1"]).default("0"),
  LIVERL_KUBE_PULL_POLICY: z.enum(["IfNotPresent", "Always", "Never"]).default("IfNotPresent"),
  /** Has a static busybox at /bin/busybox. */
  LIVERL_KUBE_HELPER_IMAGE: z.string().min(1).default("docker.io/library/busybox:1.37-musl"),
  LIVERL_KUBE_RUNTIME_CLASS: z.string().min(1).optional(),
  /** Pods made a second, at most. */
  LIVERL_KUBE_CREATES_PER_S: z.coerce.number().positive().default(20),
  /** What a sandbox may write to its disk, MiB. */
  LIVERL_KUBE_STORAGE_MB: z.coerce.number().int().positive().default(10_240),
  /** Folder of the nodes that keeps agents for all pods, or `pod`: each has its own copy. */
  LIVERL_KUBE_AGENTS: z
    .string()
    .regex(/^(?:pod|\/(?!.*\.\.).+)$/, "is a node's folder, from /, or pod")
    .default("/var/lib/liverl/agents"),
  /** 3.12 or newer, with pip: agents of Python are installed with it and run on it, or on a copy. */
  LIVERL_PYTHON: z.string().min(1).default("python3"),
  /** With the digest of a task's environment/ after it, the name of its image where none can be built. */
  LIVERL_TASK_IMAGE_PREFIX: z.string().min(1).optional(),
});

/** The only reader of this room's environment variables. */
export const env = Env.parse(process.env);

/** What tasks may ask this host for by `${VAR}`. */
export const hostEnv: Readonly<Record<string, string | undefined>> = process.env;
