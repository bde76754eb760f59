import type { V1Pod } from "@kubernetes/client-node";
import type { SandboxHost } from "@liverl/contract/rollout";
import type { Logger } from "pino";
import { Keeper } from "#sandboxes/kubernetes/keeper.ts";
import { KubeCalls } from "#sandboxes/kubernetes/kube-calls.ts";
import { toKubeError } from "#sandboxes/kubernetes/kube-error.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { kubernetesAbilities } from "#sandboxes/kubernetes/kubernetes-abilities.ts";
import { KubernetesSandbox, removePod } from "#sandboxes/kubernetes/kubernetes-sandbox.ts";
import { networkPolicyOf } from "#sandboxes/kubernetes/network-policies.ts";
import { PodFeed } from "#sandboxes/kubernetes/pod-feed.ts";
import { cameToPrograms, PodPrograms } from "#sandboxes/kubernetes/pod-programs.ts";
import { buildPod, PROBE } from "#sandboxes/kubernetes/pod-spec.ts";
import { RateLimit } from "#sandboxes/kubernetes/rate-limit.ts";
import { createPod, untilRunning } from "#sandboxes/kubernetes/start-pod.ts";
import {
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxSpec,
  type StartStage,
} from "#sandboxes/sandbox.ts";
import { loadInstance, sandboxName } from "#sandboxes/sandbox-instance.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";
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
  void sandboxes.reap();
  return sandboxes;
}

class PodSandboxes implements Sandboxes {
  readonly abilities: TaskAbilities;
  readonly #settings: KubeSettings;
  readonly #instance: string;
  readonly #log: Logger;
  readonly #calls: KubeCalls;
  readonly #feed: PodFeed;
  readonly #programs: PodPrograms;
  readonly #rate: RateLimit;
  /** Names of pods that an attempt of this life owns. */
  readonly #owned = new Set<string>();
  readonly #policies = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(instance: string, settings: KubeSettings, log: Logger) {
    this.abilities = kubernetesAbilities(settings);
    this.#settings = settings;
    this.#instance = instance;
    this.#log = log;
    this.#calls = new KubeCalls(settings);
    this.#feed = new PodFeed(settings, this.#calls, `${LABEL.instance}=${instance}`, log);
    this.#programs = new PodPrograms(settings, this.#feed);
    this.#rate = new RateLimit(settings.createsPerS);
    this.#timer = setInterval(() => void this.reap(), REAP_MS).unref();
  }

  async create(
    spec: SandboxSpec,
    signal: AbortSignal,
    onStage?: (stage: StartStage) => void,
  ): Promise<Sandbox> {
    const image = await this.#imageOf(spec);
    const name = sandboxName(this.#instance);
    this.#feed.start();
    this.#owned.add(name);
    try {
      return await this.#start(spec, { name, image }, { signal, onStage });
    } catch (error) {
      // Perhaps half made: the reaper has it where this can not.
      await removePod(this.#calls, this.#feed, name).catch((left: unknown) =>
        this.#log.warn({ err: left, name }, "a sandbox that failed to start is left to the reaper"),
      );
      this.#owned.delete(name);
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
      await this.#calls.listPods(`${LABEL.instance}=${this.#instance}`);
      return { name, fault: null, cpus: null };
    } catch (error) {
      return { name, fault: toKubeError(error, server, "list pods").userMessage, cpus: null };
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#feed.close();
    if (this.#owned.size === 0) return;
    this.#owned.clear();
    await this.reap();
  }

  /** Removes pods of this data directory that no attempt owns, and those of any other that are over their time. */
  async reap(): Promise<void> {
    try {
      const { pods } = await this.#calls.listPods(`${LABEL.managedBy}=liverl,${LABEL.harbor}=true`);
      const orphans = pods.filter((pod) => this.#isOrphan(pod));
      for (const { metadata } of orphans) await this.#calls.deletePod(metadata?.name ?? "");
      if (orphans.length > 0)
        this.#log.info({ count: orphans.length }, "sandboxes that nobody owns were removed");
    } catch (error) {
      this.#log.debug({ err: error }, "Kubernetes could not be asked for left sandboxes");
    }
  }

  #isOrphan({ metadata }: V1Pod): boolean {
    if (!metadata?.name || this.#owned.has(metadata.name) || metadata.deletionTimestamp)
      return false;
    const isOurs = metadata.labels?.[LABEL.instance] === this.#instance;
    return isOurs || Number(metadata.annotations?.[LABEL.expiresAt]) < Date.now() / 1_000;
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
    const { server } = this.#settings;
    await this.#rate.take(signal);
    await this.#ensurePolicy(spec.network);
    const placement = {
      name,
      image,
      instance: this.#instance,
      now: new Date(),
      settings: this.#settings,
    };
    await createPod(this.#calls, buildPod(spec, placement), { server, signal });
    const patience = { pullTimeoutS: spec.buildTimeoutS, signal, onStage };
    if (spec.programs !== null) {
      const waiting = await untilRunning(this.#feed, name, {
        ...patience,
        reached: cameToPrograms,
      });
      await this.#programs.bring(waiting, spec.programs, signal);
    }
    const pod = await untilRunning(this.#feed, name, patience);
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
      calls: this.#calls,
      feed: this.#feed,
      keeper,
      imageUser: imageUserOf(pod),
      signal,
      onGone: () => this.#owned.delete(name),
    });
    await keeper.findAnchors(spec);
    await sandbox.makeFolders(SANDBOX_FOLDERS);
    return sandbox;
  }

  #ensurePolicy(network: SandboxSpec["network"]): Promise<void> {
    const making =
      this.#policies.get(network) ?? this.#calls.ensureNetworkPolicy(networkPolicyOf(network));
    this.#policies.set(network, making);
    making.catch(() => this.#policies.delete(network));
    return making;
  }
}

/** Null for root. */
function imageUserOf({ status }: V1Pod): string | null {
  const probe = status?.initContainerStatuses?.find(({ name }) => name === PROBE);
  const uid = probe?.state?.terminated?.message?.trim() ?? "0";
  return uid === "0" ? null : uid;
}
