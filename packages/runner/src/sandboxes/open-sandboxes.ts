import type { Logger } from "pino";
import { env } from "#env.ts";
import { openDockerSandboxes } from "#sandboxes/docker/docker-sandboxes.ts";
import { kubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { openKubernetesSandboxes } from "#sandboxes/kubernetes/kubernetes-sandboxes.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";

/** The sandboxes that the environment asks for. Throws where a kubeconfig is none. */
export async function openSandboxes(options: { dataDir: string; log: Logger }): Promise<Sandboxes> {
  return env.LIVERL_SANDBOX === "docker"
    ? await openDockerSandboxes(options)
    : await openKubernetesSandboxes({ ...options, settings: kubeSettings(env) });
}
