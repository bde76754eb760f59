import { setTimeout as sleep } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import type { LeftPod } from "@liverl/contract/clean-run";
import type { Logger } from "pino";
import { KubeCalls } from "#sandboxes/kubernetes/kube-calls.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { networkPolicyOf } from "#sandboxes/kubernetes/network-policies.ts";
import { PodFeed } from "#sandboxes/kubernetes/pod-feed.ts";
import { buildPod, labelValue } from "#sandboxes/kubernetes/pod-spec.ts";
import { RateLimit } from "#sandboxes/kubernetes/rate-limit.ts";
import { createPod, type StartPatience, untilRunning } from "#sandboxes/kubernetes/start-pod.ts";
import type { SandboxSpec } from "#sandboxes/sandbox.ts";
import { sandboxName } from "#sandboxes/sandbox-instance.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";
import { TrialError } from "#trials/trial-error.ts";

/** How long an API server may be away before a removal fails. */
const AWAY_MS = 60_000;
const TERMINATING_MS = 60_000;
const ASK_AGAIN_MS = 1_000;

/**
 * The pods of one data directory, as objects of the API: made no faster than `createsPerS`, seen by one list and one
 * watch, removed. What runs in them is the sandboxes' affair.
 */
export class Pods {
  readonly feed: PodFeed;
  readonly #settings: KubeSettings;
  readonly #instance: string;
  readonly #log: Pick<Logger, "info" | "debug">;
  readonly #calls: KubeCalls;
  readonly #rate: RateLimit;
  /** Names of pods that an attempt of this life owns. */
  readonly #owned = new Set<string>();
  readonly #policies = new Map<string, Promise<void>>();

  constructor(settings: KubeSettings, instance: string, log: Pick<Logger, "info" | "debug">) {
    this.#settings = settings;
    this.#instance = instance;
    this.#log = log;
    this.#calls = new KubeCalls(settings);
    this.feed = new PodFeed(settings, this.#calls, this.#ours, log);
    this.#rate = new RateLimit(settings.createsPerS);
  }

  /** A name for a pod that is this life's from now on: nobody reaps it. */
  own(): string {
    const name = sandboxName(this.#instance);
    this.#owned.add(name);
    return name;
  }

  /** Throws `TrialError`, or the signal's reason. */
  async create(
    spec: SandboxSpec,
    { name, image }: { name: string; image: string },
    signal: AbortSignal,
  ): Promise<void> {
    const settings = this.#settings;
    this.feed.start();
    const place = { name, image, instance: this.#instance, settings };
    const make = async () => {
      await this.#ensurePolicy(spec.network);
      await this.#calls.createPod(buildPod(spec, { ...place, now: new Date() }));
    };
    await createPod(make, { server: settings.server, rate: this.#rate, signal });
  }

  /** As {@link untilRunning} has it. */
  async untilRunning(name: string, patience: StartPatience): Promise<V1Pod> {
    return await untilRunning(this.feed, name, patience);
  }

  /** What the server itself says of one; null where there is none. */
  async read(name: string): Promise<V1Pod | null> {
    return await this.#calls.readPod(name);
  }

  /** Deletes a pod and waits until it is gone. Throws what stood in the way, or `SandboxTimeoutError`; the reaper has it then. */
  async remove(name: string): Promise<void> {
    try {
      await this.#end(name);
    } finally {
      this.#owned.delete(name);
    }
  }

  /** Asks the server, now. Throws what it says. */
  async probe(): Promise<void> {
    await this.#calls.checkAccess();
  }

  /** Removes what is still owned. */
  async close(): Promise<void> {
    this.feed.close();
    if (this.#owned.size === 0) return;
    this.#owned.clear();
    await this.reap();
  }

  /** Pods of a run that no attempt of this life owns, whichever LiveRL made them. Throws what the server says. */
  async left(runId: string): Promise<LeftPod[]> {
    const labels = `${LABEL.managedBy}=liverl,${LABEL.harbor}=true,${LABEL.run}=${labelValue(runId)}`;
    const { pods } = await this.#calls.listPods(labels);
    return pods.flatMap(({ metadata, status }) => {
      const name = metadata?.name;
      // Two runs may have one label: only the annotation has the whole id.
      if (!name || metadata.annotations?.[LABEL.run] !== runId) return [];
      if (this.#owned.has(name) || metadata.deletionTimestamp) return [];
      const isOurs = metadata.labels?.[LABEL.instance] === this.#instance;
      return [{ name, isOurs, phase: status?.phase ?? null }];
    });
  }

  /** Removes those pods and resolves with how many; those of another LiveRL only when `others` is asked for. */
  async removeLeft(runId: string, { others }: { others: boolean }): Promise<number> {
    const doomed = (await this.left(runId)).filter(({ isOurs }) => isOurs || others);
    for (const { name } of doomed) await this.#calls.deletePod(name);
    return doomed.length;
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

  async #end(name: string): Promise<void> {
    const refusedAt = Date.now() + AWAY_MS;
    for (;;) {
      try {
        await this.#calls.deletePod(name);
        break;
      } catch (error) {
        if (Date.now() > refusedAt) throw error;
        await sleep(ASK_AGAIN_MS);
      }
    }
    const { feed } = this;
    const stuckAt = Date.now() + TERMINATING_MS;
    while (!feed.isClosed && (feed.get(name) !== null || feed.fault !== null)) {
      if (Date.now() > stuckAt)
        throw new TrialError("SandboxTimeoutError", `The pod ${name} does not end.`);
      feed.doubt();
      await feed.news(name, ASK_AGAIN_MS);
    }
  }

  get #ours(): string {
    return `${LABEL.instance}=${this.#instance}`;
  }

  #isOrphan({ metadata }: V1Pod): boolean {
    if (!metadata?.name || this.#owned.has(metadata.name) || metadata.deletionTimestamp)
      return false;
    const isOurs = metadata.labels?.[LABEL.instance] === this.#instance;
    return isOurs || Number(metadata.annotations?.[LABEL.expiresAt]) < Date.now() / 1_000;
  }

  #ensurePolicy(network: SandboxSpec["network"]): Promise<void> {
    const making =
      this.#policies.get(network) ?? this.#calls.ensureNetworkPolicy(networkPolicyOf(network));
    this.#policies.set(network, making);
    making.catch(() => this.#policies.delete(network));
    return making;
  }
}
