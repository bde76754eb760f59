import type { ContainerCreateOptions } from "dockerode";
import { DEFAULT_LIMITS, type SandboxSpec } from "#sandboxes/sandbox.ts";

export const LABEL = {
  managedBy: "app.kubernetes.io/managed-by",
  harbor: "harbor-managed",
  instance: "liverl.dev/instance",
  run: "liverl.dev/run",
  trial: "liverl.dev/trial",
  attempt: "liverl.dev/attempt",
  /** Seconds since 1970: later it belongs to nobody. */
  expiresAt: "liverl.dev/expires-at",
} as const;

/** What packages and build tools need as root; everything else is dropped. */
const CAPABILITIES = [
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "SETUID",
  "SETGID",
  "KILL",
  "NET_BIND_SERVICE",
];
const MAX_PROCESSES = 512;
const MB = 1024 * 1024;
/** The reaper leaves the container's own end the first word. */
const EXPIRY_SLACK_S = 300;

export interface Placement {
  /** Of the container. */
  name: string;
  instance: string;
  image: string;
  /** Name of the network that `public` sandboxes are in. */
  publicNetwork: string;
  /** The volume of the spec's programs, if it has any. */
  programsVolume: string | null;
  /** Cores of the daemon's host. */
  hostCpus: number;
  now: Date;
}

/** The container of a sandbox: no privileges, bounded memory, CPU and processes, no network unless the task has it. */
export function buildContainer(spec: SandboxSpec, place: Placement): ContainerCreateOptions {
  const memory = (spec.memoryMb ?? DEFAULT_LIMITS.memoryMb) * MB;
  const expiresAt = Math.floor(place.now.getTime() / 1_000) + spec.lifeS + EXPIRY_SLACK_S;
  return {
    name: place.name,
    Image: place.image,
    // Not for ever: it ends by itself where nobody is left to end it.
    Entrypoint: ["sleep"],
    Cmd: [String(Math.ceil(spec.lifeS))],
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    ...(spec.workdir !== null && { WorkingDir: spec.workdir }),
    Labels: {
      [LABEL.managedBy]: "liverl",
      [LABEL.harbor]: "true",
      [LABEL.instance]: place.instance,
      [LABEL.run]: spec.runId,
      [LABEL.trial]: spec.trialId,
      [LABEL.attempt]: String(spec.attempt),
      [LABEL.expiresAt]: String(Math.ceil(expiresAt)),
    },
    HostConfig: {
      Init: true,
      NetworkMode: spec.network === "public" ? place.publicNetwork : "none",
      CapDrop: ["ALL"],
      CapAdd: CAPABILITIES,
      SecurityOpt: ["no-new-privileges"],
      PidsLimit: MAX_PROCESSES,
      Memory: memory,
      MemorySwap: memory,
      // More than the host has is refused by the daemon.
      NanoCpus: Math.min(spec.cpus ?? DEFAULT_LIMITS.cpus, place.hostCpus) * 1e9,
      ...(spec.programs !== null &&
        place.programsVolume !== null && {
          Binds: [`${place.programsVolume}:${spec.programs.at}:ro,nocopy`],
        }),
      LogConfig: { Type: "none", Config: {} },
    },
  };
}
