import { KubeConfig } from "@kubernetes/client-node";
import { AppError } from "@liverl/contract/app-error";
import type { env } from "#env.ts";

/** A cluster, and how sandboxes are made in it. */
export interface KubeSettings {
  config: KubeConfig;
  /** URL of the API server. */
  server: string;
  namespace: string;
  policiesEnforced: boolean;
  pullPolicy: "IfNotPresent" | "Always" | "Never";
  helperImage: string;
  runtimeClass: string | null;
  createsPerS: number;
  storageMb: number;
  /** Folder of every node where agents are kept; null: each pod has its own copy. */
  programsPath: string | null;
  taskImagePrefix: string | null;
}

/** What the library falls back to where it finds no configuration at all. */
const NOWHERE = "http://localhost:8080";

/** Reads KUBECONFIG, else `~/.kube/config`, else the pod that the runner is in. Asks nothing. Throws what to set. */
export function kubeSettings(given: typeof env): KubeSettings {
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (cause) {
    throw refuse(
      `The kubeconfig can not be read: ${cause instanceof Error ? cause.message : cause}. Set KUBECONFIG.`,
      cause,
    );
  }
  const context = given.LIVERL_KUBE_CONTEXT;
  if (context !== undefined) {
    const known = config.getContexts().map(({ name }) => name);
    if (!known.includes(context))
      throw refuse(
        `LIVERL_KUBE_CONTEXT: there is no context ${context}; the kubeconfig has ${known.join(", ") || "none"}.`,
      );
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster || cluster.server === NOWHERE)
    throw refuse(
      "LIVERL_SANDBOX is kubernetes, and no cluster is named: set KUBECONFIG and LIVERL_KUBE_CONTEXT.",
    );
  const own = config.getContextObject(config.getCurrentContext())?.namespace;
  return {
    config,
    server: cluster.server,
    namespace: given.LIVERL_KUBE_NAMESPACE ?? own ?? "default",
    policiesEnforced: given.LIVERL_KUBE_POLICIES_ENFORCED === "1",
    pullPolicy: given.LIVERL_KUBE_PULL_POLICY,
    helperImage: given.LIVERL_KUBE_HELPER_IMAGE,
    runtimeClass: given.LIVERL_KUBE_RUNTIME_CLASS ?? null,
    createsPerS: given.LIVERL_KUBE_CREATES_PER_S,
    storageMb: given.LIVERL_KUBE_STORAGE_MB,
    programsPath: given.LIVERL_KUBE_AGENTS === "pod" ? null : given.LIVERL_KUBE_AGENTS,
    taskImagePrefix: given.LIVERL_TASK_IMAGE_PREFIX ?? null,
  };
}

const refuse = (userMessage: string, cause?: unknown) =>
  new AppError("BAD_REQUEST", { userMessage, cause });
