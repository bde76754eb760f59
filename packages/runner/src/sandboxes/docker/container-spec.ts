import type { ContainerCreateOptions } from "dockerode";
import { EGRESS_ENV } from "#sandboxes/egress/egress-sandbox.ts";
import { DEFAULT_LIMITS, type SandboxSpec } from "#sandboxes/sandbox.ts";
import { expiryOf, LABEL } from "#sandboxes/sandbox-labels.ts";

/** What packages and build tools need as root; everything else is dropped. */
export const CAPABILITIES = [
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

export interface Placement {
  /** Of the container. */
  name: string;
  instance: string;
  image: string;
  /** Name of the network that `public` sandboxes are in. */
  publicNetwork: string;
  /** Of a `public` sandbox. */
  resolvers: readonly string[];
  /** The volume of the spec's programs, if it has any. */
  programsVolume: string | null;
  /** Cores of the daemon's host. */
  hostCpus: number;
  now: Date;
}

/** The container of a sandbox: no privileges, bounded memory, CPU and processes, no network unless the task has it. */
export function buildContainer(spec: SandboxSpec, place: Placement): ContainerCreateOptions {
  const memory = (spec.memoryMb ?? DEFAULT_LIMITS.memoryMb) * MB;
  return {
    name: place.name,
    Image: place.image,
    // Not for ever: it ends by itself where nobody is left to end it.
    // By its path: the image's PATH may have folders that the agent writes to, and this starts again before the tests.
    Entrypoint: ["/bin/sleep"],
    Cmd: [String(Math.ceil(spec.lifeS))],
    Env: Object.entries({ ...(spec.allowedHosts && EGRESS_ENV), ...spec.env }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    ...(spec.workdir !== null && { WorkingDir: spec.workdir }),
    Labels: {
      [LABEL.managedBy]: "liverl",
      [LABEL.harbor]: "true",
      [LABEL.instance]: place.instance,
      [LABEL.run]: spec.runId,
      [LABEL.trial]: spec.trialId,
      [LABEL.attempt]: String(spec.attempt),
      [LABEL.expiresAt]: expiryOf(place.now, spec.lifeS),
    },
    HostConfig: {
      Init: true,
      NetworkMode: spec.network === "public" ? place.publicNetwork : "none",
      ...(spec.network === "public" && { Dns: [...place.resolvers] }),
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
