import type { V1Pod } from "@kubernetes/client-node";
import type { SandboxHost } from "@liverl/contract/rollout";
import type { Logger } from "pino";
import { Keeper } from "#sandboxes/kubernetes/keeper.ts";
import { toKubeError } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { kubernetesAbilities } from "#sandboxes/kubernetes/kubernetes-abilities.ts";
import { KubernetesSandbox } from "#sandboxes/kubernetes/kubernetes-sandbox.ts";
import { cameToPrograms, PodPrograms } from "#sandboxes/kubernetes/pod-programs.ts";
import { PROBE } from "#sandboxes/kubernetes/pod-spec.ts";
import { Pods } from "#sandboxes/kubernetes/pods.ts";
import {
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxSpec,
  type StartStage,
} from "#sandboxes/sandbox.ts";
import { loadInstance } from "#sandboxes/sandbox-instance.ts";
import type { LeftSandboxes, Sandboxes } from "#sandboxes/sandboxes.ts";
import { taskImageTag } from "#sandboxes/task-image-tag.ts";
import type { TaskAbilities } from "#tasks/find-unsupported.ts";
import { TrialError } from "#trials/trial-error.ts";

const REAP_MS = 60_000;
const SANDBOX_FOLDERS = ["/logs/agent", "/logs/verifier", "/logs/artifacts"];

/**
 * Sandboxes of one data directory as pods of one namespace. Removes what an earlier life left, now and then what nobody
 * owns. A cluster that is away is no fault until it is needed.
 */
export async function openKubernetesSandboxes(options: {
  dataDir: string;
  log: Logger;
  settings: KubeSettings;
}): Promise<Sandboxes> {
  const { dataDir, log, settings } = options;
  const sandboxes = new PodSandboxes(await loadInstance(dataDir), settings, log);
  if (!settings.policiesEnforced)
    log.warn(
      "nobody has said that the cluster enforces NetworkPolicy: tasks without a network are refused, and others may reach the cluster (LIVERL_KUBE_POLICIES_ENFORCED)",
    );
  return sandboxes;
}

class PodSandboxes implements Sandboxes {
  readonly abilities: TaskAbilities;
  readonly left: LeftSandboxes;
  readonly #settings: KubeSettings;
  readonly #log: Logger;
  readonly #pods: Pods;
  readonly #programs: PodPrograms;
  readonly #timer: NodeJS.Timeout;

  constructor(instance: string, settings: KubeSettings, log: Logger) {
    this.abilities = kubernetesAbilities(settings);
    this.#settings = settings;
    this.#log = log;
    this.#pods = new Pods(settings, instance, log);
    this.#programs = new PodPrograms(settings, this.#pods.feed);
    const told = (doing: string) => (error: unknown) => {
      throw toKubeError(error, settings.server, doing);
    };
    this.left = {
      list: (runId) => this.#pods.left(runId).catch(told("list pods")),
      remove: (runId, options) => this.#pods.removeLeft(runId, options).catch(told("remove pods")),
    };
    this.#timer = setInterval(() => void this.#pods.reap(), REAP_MS).unref();
    void this.#pods.reap();
  }

  async create(
    spec: SandboxSpec,
    signal: AbortSignal,
    onStage?: (stage: StartStage) => void,
  ): Promise<Sandbox> {
    const image = await this.#imageOf(spec);
    const name = this.#pods.own();
    try {
      return await this.#start(spec, { name, image }, { signal, onStage });
    } catch (error) {
      // Perhaps half made: the reaper has it where this can not.
      await this.#pods
        .remove(name)
        .catch((left: unknown) =>
          this.#log.warn(
            { err: left, name },
            "a sandbox that failed to start is left to the reaper",
          ),
        );
      signal.throwIfAborted();
      throw toKubeError(error, this.#settings.server, "start a sandbox");
    }
  }

  /** The nodes have them: each pod says for itself that it waits for one. */
  images(): [] {
    return [];
  }

  async probe(): Promise<SandboxHost> {
    const { server, namespace } = this.#settings;
    const name = `Kubernetes at ${server}, namespace ${namespace}`;
    try {
      await this.#pods.probe();
      return { name, fault: null, cpus: null };
    } catch (error) {
      return { name, fault: toKubeError(error, server, "list pods").userMessage, cpus: null };
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pods.close();
  }

  async #imageOf({ image }: SandboxSpec): Promise<string> {
    if (image.kind === "pull") return image.name;
    const { taskImagePrefix } = this.#settings;
    if (taskImagePrefix === null)
      throw new TrialError(
        "SandboxBuildFailedError",
        `Images can not be built in Kubernetes: set LIVERL_TASK_IMAGE_PREFIX and push the image of ${image.folder}.`,
      );
    return `${taskImagePrefix}${await taskImageTag(image.folder)}`;
  }

  async #start(
    spec: SandboxSpec,
    { name, image }: { name: string; image: string },
    {
      signal,
      onStage,
    }: { signal: AbortSignal; onStage?: ((stage: StartStage) => void) | undefined },
  ): Promise<Sandbox> {
    await this.#pods.create(spec, { name, image }, signal);
    const patience = { pullTimeoutS: spec.buildTimeoutS, signal, onStage };
    if (spec.programs !== null) {
      const waiting = await this.#pods.untilRunning(name, {
        ...patience,
        reached: cameToPrograms,
      });
      await this.#programs.bring(waiting, spec.programs, signal);
    }
    const pod = await this.#pods.untilRunning(name, patience);
    const keeper = new Keeper(this.#settings, name);
    const sandbox = new KubernetesSandbox({
      name,
      facts: {
        image,
        place: pod.spec?.nodeName ?? null,
        cpus: spec.cpus ?? DEFAULT_LIMITS.cpus,
        memoryMb: spec.memoryMb ?? DEFAULT_LIMITS.memoryMb,
      },
      settings: this.#settings,
      pods: this.#pods,
      keeper,
      imageUser: imageUserOf(pod),
      signal,
    });
    await keeper.findAnchors(spec);
    await sandbox.makeFolders(SANDBOX_FOLDERS);
    return sandbox;
  }
}

/** Null for root. */
function imageUserOf({ status }: V1Pod): string | null {
  const probe = status?.initContainerStatuses?.find(({ name }) => name === PROBE);
  const uid = probe?.state?.terminated?.message?.trim() ?? "0";
  return uid === "0" ? null : uid;
}
