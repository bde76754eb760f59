import { join } from "node:path";
import type { SandboxHost } from "@liverl/contract/rollout";
import type { ImageWork } from "@liverl/contract/sandbox";
import type Docker from "dockerode";
import type { Logger } from "pino";
import { env, hostEnv } from "#env.ts";
import {
  barPrivateNetworks,
  parseReach,
  type Reach,
} from "#sandboxes/docker/bar-private-networks.ts";
import { buildContainer } from "#sandboxes/docker/container-spec.ts";
import { DaemonActs } from "#sandboxes/docker/daemon-acts.ts";
import { DOCKER_ABILITIES } from "#sandboxes/docker/docker-abilities.ts";
import { openDocker } from "#sandboxes/docker/docker-client.ts";
import { statusOf, toDockerError } from "#sandboxes/docker/docker-error.ts";
import { DockerSandbox } from "#sandboxes/docker/docker-sandbox.ts";
import { ImageStore } from "#sandboxes/docker/image-store.ts";
import { NetworkWatch } from "#sandboxes/docker/network-watch.ts";
import { ProgramVolumes } from "#sandboxes/docker/program-volumes.ts";
import { removeContainer } from "#sandboxes/docker/remove-container.ts";
import { untilAnswered } from "#sandboxes/docker/until-answered.ts";
import { EgressSandbox } from "#sandboxes/egress/egress-sandbox.ts";
import { Gate } from "#sandboxes/gate.ts";
import {
  type BakedPrograms,
  DEFAULT_LIMITS,
  type Sandbox,
  type SandboxSpec,
  type StartStage,
} from "#sandboxes/sandbox.ts";
import { loadInstance, sandboxName } from "#sandboxes/sandbox-instance.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";
import type { Sandboxes } from "#sandboxes/sandboxes.ts";
import { withinTime } from "#sandboxes/within-time.ts";
import { TrialError } from "#trials/trial-error.ts";

const STARTS_AT_ONCE = 8;
const START_TIMEOUT_MS = 120_000;
/** Some hundred megabytes, once for each agent. */
const FILL_TIMEOUT_MS = 600_000;
const PROBE_MS = 5_000;
/** For one request that a daemon answers at once; under load it needs seconds. */
const REQUEST_MS = 60_000;
/** A daemon that is started anew, with all its containers to look after. */
const AWAY_MS = 90_000;
const REAP_MS = 60_000;
const SILENT = `The Docker daemon did not answer in ${REQUEST_MS / 1_000} s: restart it.`;
const PUBLIC_NETWORK = "liverl-public";
const SANDBOX_FOLDERS = ["/logs/agent", "/logs/verifier", "/logs/artifacts"];

/**
 * Sandboxes of one data directory on the Docker daemon of `DOCKER_HOST`, which may be asked for when it is there.
 * Removes what an earlier life left, now and then what nobody owns. A daemon that is away is no fault until it is
 * needed.
 */
export async function openDockerSandboxes(options: {
  dataDir: string;
  log: Logger;
  /** Left out: the daemon that Docker's own client would take. */
  docker?: Docker;
  /** Left out: what the environment names. */
  helperImage?: string;
  reach?: Reach;
  /** How long a sandbox that is to be made waits for a daemon that does not answer. */
  awayMs?: number;
}): Promise<Sandboxes> {
  const instance = await loadInstance(options.dataDir);
  const sandboxes = new OwnSandboxes(instance, options);
  void sandboxes.reap();
  return sandboxes;
}

/** Of the daemon. */
interface DockerHost {
  cpus: number;
  name: string | null;
}

const watcherOf = (name: string) => `${name}-watch`;

class OwnSandboxes implements Sandboxes {
  readonly left = null;
  readonly abilities = DOCKER_ABILITIES;
  readonly #docker: Docker;
  readonly #instance: string;
  readonly #log: Logger;
  readonly #images: ImageStore;
  readonly #volumes: ProgramVolumes;
  readonly #acts: DaemonActs;
  readonly #gate = new Gate(STARTS_AT_ONCE);
  /** Names of containers that an attempt of this life owns. */
  readonly #owned = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #awayMs: number;
  readonly #helperImage: string;
  readonly #reach: Reach;
  #publicNetwork: Promise<void> | null = null;
  #host: Promise<DockerHost> | null = null;

  constructor(
    instance: string,
    {
      dataDir,
      log,
      docker = openDocker(),
      awayMs = AWAY_MS,
      helperImage = env.LIVERL_DOCKER_HELPER_IMAGE,
      reach = parseReach(env.LIVERL_DOCKER_DNS, env.LIVERL_DOCKER_ALLOW),
    }: Parameters<typeof openDockerSandboxes>[0],
  ) {
    this.#instance = instance;
    this.#awayMs = awayMs;
    this.#helperImage = helperImage;
    this.#reach = reach;
    this.#docker = docker;
    this.#log = log;
    this.#volumes = new ProgramVolumes(docker);
    this.#acts = new DaemonActs(docker, instance);
    this.#images = new ImageStore(this.#docker, join(dataDir, "logs", "sandbox-images"));
    this.#timer = setInterval(() => void this.reap(), REAP_MS).unref();
  }

  create(
    spec: SandboxSpec,
    signal: AbortSignal,
    onStage: (stage: StartStage) => void = () => undefined,
  ): Promise<Sandbox> {
    return untilAnswered({ patienceMs: this.#awayMs, signal }, () =>
      this.#create(spec, signal, onStage),
    );
  }

  async #create(
    spec: SandboxSpec,
    signal: AbortSignal,
    onStage: (stage: StartStage) => void,
  ): Promise<Sandbox> {
    const late = () => new TrialError("SandboxUnavailableError", SILENT);
    const host = await withinTime({ timeoutMs: REQUEST_MS, signal, late }, () => this.#hostFacts());
    const image = await this.#images.ensure(spec, signal, onStage);
    if (spec.network === "public")
      await this.#images.ensure(
        { image: { kind: "pull", name: this.#helperImage }, buildTimeoutS: null },
        signal,
        onStage,
      );
    onStage({ state: "pending", deadline: null });
    const volume = spec.programs && (await this.#programsFor(spec.programs, image, signal));
    const name = sandboxName(this.#instance);
    this.#owned.add(name);
    try {
      const sandbox = await this.#gate.run(() => {
        onStage({ state: "creating", deadline: new Date(Date.now() + START_TIMEOUT_MS) });
        return this.#start(spec, { name, image, volume, host }, signal);
      });
      if (spec.allowedHosts === null) return sandbox;
      return await EgressSandbox.open(sandbox, spec.allowedHosts, signal);
    } catch (error) {
      // Somebody may have removed it, or the daemon is another.
      this.#publicNetwork = null;
      this.#volumes.forget();
      // Perhaps half made. What the daemon makes of it later than this is the reaper's.
      const isGone = await this.#removed(name);
      this.#owned.delete(name);
      if (!isGone) this.#log.warn({ name }, "a sandbox that failed to start is left to the reaper");
      signal.throwIfAborted();
      throw toDockerError(error, "start a sandbox");
    }
  }

  async #removed(name: string): Promise<boolean> {
    const { signal } = new AbortController();
    const late = () => new TrialError("SandboxTimeoutError", SILENT);
    return await withinTime({ timeoutMs: REQUEST_MS, signal, late }, () =>
      removeContainer(this.#docker.getContainer(name)),
    ).then(
      () => true,
      () => false,
    );
  }

  images(): ImageWork[] {
    return this.#images.underWay();
  }

  async probe(): Promise<SandboxHost> {
    const name = `Docker at ${hostEnv.DOCKER_HOST ?? "its own socket"}`;
    // What was known of it may be from before it went away.
    this.#host = null;
    const late = () => new TrialError("SandboxUnavailableError", `No answer in ${PROBE_MS} ms.`);
    try {
      const { cpus } = await withinTime(
        { timeoutMs: PROBE_MS, signal: new AbortController().signal, late },
        () => this.#hostFacts(),
      );
      return { name, fault: null, cpus };
    } catch (error) {
      return { name, fault: error instanceof Error ? error.message : String(error), cpus: null };
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#acts.close();
    if (this.#owned.size === 0) return;
    this.#owned.clear();
    await this.reap();
  }

  /** Removes containers of this data directory that no attempt owns, and those of any other that are over their time. */
  async reap(): Promise<void> {
    try {
      const found = await this.#docker.listContainers({
        all: true,
        filters: { label: [`${LABEL.managedBy}=liverl`] },
      });
      const now = Date.now() / 1_000;
      const orphans = found.filter(({ Names, Labels }) => {
        const isOwned = Names.some((name) => this.#owned.has(name.replace(/^\//, "")));
        const isOurs = Labels[LABEL.instance] === this.#instance;
        return !isOwned && (isOurs || Number(Labels[LABEL.expiresAt]) < now);
      });
      await Promise.all(orphans.map(({ Id }) => removeContainer(this.#docker.getContainer(Id))));
      if (orphans.length > 0)
        this.#log.info({ count: orphans.length }, "sandboxes that nobody owns were removed");
    } catch (error) {
      this.#log.debug({ err: error }, "Docker could not be asked for left sandboxes");
    }
  }

  async #start(
    spec: SandboxSpec,
    {
      name,
      image,
      volume,
      host,
    }: { name: string; image: string; volume: string | null; host: DockerHost },
    signal: AbortSignal,
  ): Promise<Sandbox> {
    const late = () =>
      new TrialError(
        "EnvironmentStartTimeoutError",
        `The sandbox did not start in ${START_TIMEOUT_MS / 1_000} seconds.`,
      );
    return await withinTime({ timeoutMs: START_TIMEOUT_MS, signal, late }, async (own) => {
      if (spec.network === "public") {
        this.#publicNetwork ??= this.#ensurePublicNetwork();
        await this.#publicNetwork;
      }
      const built = buildContainer(spec, {
        name,
        image,
        instance: this.#instance,
        publicNetwork: PUBLIC_NETWORK,
        resolvers: this.#reach.resolvers,
        programsVolume: volume,
        hostCpus: host.cpus,
        now: new Date(),
      });
      const container = await this.#docker.createContainer({ ...built, abortSignal: own });
      await this.#acts.follow();
      await container.start({ abortSignal: own });
      const isPublic = spec.network === "public";
      const bar = () =>
        isPublic
          ? barPrivateNetworks(this.#docker, {
              sandboxId: container.id,
              image: this.#helperImage,
              reach: this.#reach,
              labels: built.Labels ?? {},
            })
          : Promise.resolve();
      await bar();
      const watch = isPublic ? this.#watch(container, { name, image, labels: built.Labels }) : null;
      const onGone = () => {
        this.#owned.delete(name);
        this.#owned.delete(watcherOf(name));
      };
      const facts = {
        image,
        place: host.name,
        cpus: Math.min(spec.cpus ?? DEFAULT_LIMITS.cpus, host.cpus),
        memoryMb: spec.memoryMb ?? DEFAULT_LIMITS.memoryMb,
      };
      const folders = SANDBOX_FOLDERS;
      const acts = this.#acts.watch(container.id);
      return new DockerSandbox({
        name,
        facts,
        container,
        acts,
        signal,
        watch,
        bar,
        folders,
        onGone,
      });
    });
  }

  /** It starts while the sandbox is made ready. */
  #watch(
    watched: Docker.Container,
    {
      name,
      image,
      labels = {},
    }: { name: string; image: string; labels?: Record<string, string> | undefined },
  ): NetworkWatch {
    this.#owned.add(watcherOf(name));
    return new NetworkWatch(this.#docker, { name: watcherOf(name), image, watched, labels });
  }

  async #programsFor(programs: BakedPrograms, image: string, signal: AbortSignal): Promise<string> {
    const late = () =>
      new TrialError(
        "EnvironmentStartTimeoutError",
        `Docker did not take the agent's programs in ${FILL_TIMEOUT_MS / 1_000} seconds.`,
      );
    try {
      return await withinTime({ timeoutMs: FILL_TIMEOUT_MS, signal, late }, () =>
        this.#volumes.ensure(programs, image),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw toDockerError(error, "take the agent's programs");
    }
  }

  #hostFacts(): Promise<DockerHost> {
    this.#host ??= this.#docker.info().then(
      ({ NCPU, Name }: { NCPU: number; Name?: string }) => ({ cpus: NCPU, name: Name ?? null }),
      (error: unknown) => {
        this.#host = null;
        throw toDockerError(error, "say what it has");
      },
    );
    return this.#host;
  }

  /** A bridge in which sandboxes do not reach each other. */
  async #ensurePublicNetwork(): Promise<void> {
    try {
      await this.#docker.getNetwork(PUBLIC_NETWORK).inspect();
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      await this.#docker
        .createNetwork({
          Name: PUBLIC_NETWORK,
          CheckDuplicate: true,
          Driver: "bridge",
          Labels: { [LABEL.managedBy]: "liverl" },
          Options: { "com.docker.network.bridge.enable_icc": "false" },
        })
        .catch((refused: unknown) => {
          // Made by another trial meanwhile.
          if (statusOf(refused) !== 409) throw refused;
        });
    }
  }
}
