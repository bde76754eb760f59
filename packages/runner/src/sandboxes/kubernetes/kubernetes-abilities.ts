import { DOCKER_ABILITIES } from "#sandboxes/docker/docker-abilities.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import type { TaskAbilities } from "#tasks/find-unsupported.ts";

/** What a pod can do with a task: as a container of Docker, but for what the cluster has to have. */
export const kubernetesAbilities = ({
  taskImagePrefix,
  policiesEnforced,
}: Pick<KubeSettings, "taskImagePrefix" | "policiesEnforced">): TaskAbilities => ({
  ...DOCKER_ABILITIES,
  builds: taskImagePrefix !== null,
  networkModes: policiesEnforced ? ["public", "no-network"] : ["public"],
  remedies: {
    builds:
      "or push the images of tasks to a registry and set LIVERL_TASK_IMAGE_PREFIX (docs/sandboxes.md)",
    network:
      "a pod is without a network only where the cluster's network plugin enforces NetworkPolicy: set LIVERL_KUBE_POLICIES_ENFORCED=1 if yours does",
  },
});
