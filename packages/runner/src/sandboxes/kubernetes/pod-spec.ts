import type { V1Container, V1Pod, V1ResourceRequirements, V1Volume } from "@kubernetes/client-node";
import { CAPABILITIES } from "#sandboxes/docker/container-spec.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";
import { type BakedPrograms, DEFAULT_LIMITS, type SandboxSpec } from "#sandboxes/sandbox.ts";
import { expiryOf, LABEL } from "#sandboxes/sandbox-labels.ts";

/** The task's image, where the agent and the verifier work. */
export const MAIN = "main";
/** Ends the task's processes and moves its files, with programs that are not the task's. */
export const KEEPER = "keeper";
/** Tells the image's own user, which the API does not. */
export const PROBE = "probe";
/** Waits until the agent's programs are there, before anything of the task runs. */
export const PROGRAMS = "programs";
/** There, by content, in folders that are whole when they have this. */
export const PROGRAMS_AT = "/programs";
export const PROGRAMS_COMPLETE = ".complete";
/** In every container: a static busybox that nothing in the sandbox can change. */
export const TOOLS = "/.liverl";
export const BUSYBOX = `${TOOLS}/busybox`;
/** What a NetworkPolicy goes by. */
export const NETWORK_LABEL = "liverl.dev/network";

/** Cores are shared as they are free, memory is not: so much of the limit is asked of a node. */
const CPU_REQUEST_SHARE = 0.25;
const HELPER_DISK_MB = 256;
const SMALL: V1ResourceRequirements = {
  requests: { cpu: "10m", memory: "16Mi", "ephemeral-storage": "16Mi" },
  limits: { cpu: "1", memory: "128Mi", "ephemeral-storage": `${HELPER_DISK_MB}Mi` },
};
/** Of one agent with its Node. */
const PROGRAMS_MB = 1_024;
const MAX_LABEL = 63;
/** The runner has the first word. */
const DEADLINE_SLACK_S = 60;
const GRACE_S = 1;

export interface PodPlacement {
  name: string;
  instance: string;
  image: string;
  now: Date;
  settings: Pick<
    KubeSettings,
    "namespace" | "pullPolicy" | "helperImage" | "runtimeClass" | "storageMb" | "programsPath"
  >;
}

/** How the keeper's own first process looks; no pause image is known to look so. */
export const KEEPER_ANCHOR = ["/bin/busybox", "sleep", "2000000000"] as const;

/** How the sandbox's first process looks to the keeper. */
export const anchorOf = ({ lifeS }: Pick<SandboxSpec, "lifeS">) =>
  [BUSYBOX, "sleep", String(Math.ceil(lifeS))] as const;

/** The pod of a sandbox: no privileges, no token, bounded memory, CPU, disk and life, and the network by its label. */
export function buildPod(spec: SandboxSpec, place: PodPlacement): V1Pod {
  const { settings, name, now } = place;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: settings.namespace,
      labels: {
        [LABEL.managedBy]: "liverl",
        [LABEL.harbor]: "true",
        [LABEL.instance]: place.instance,
        [LABEL.run]: labelValue(spec.runId),
        [LABEL.trial]: labelValue(spec.trialId),
        [LABEL.attempt]: String(spec.attempt),
        [NETWORK_LABEL]: spec.network,
      },
      annotations: {
        [LABEL.expiresAt]: expiryOf(now, spec.lifeS),
        [LABEL.run]: spec.runId,
        [LABEL.trial]: spec.trialId,
      },
    },
    spec: {
      restartPolicy: "Never",
      activeDeadlineSeconds: Math.ceil(spec.lifeS) + DEADLINE_SLACK_S,
      terminationGracePeriodSeconds: GRACE_S,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      shareProcessNamespace: true,
      ...(settings.runtimeClass !== null && { runtimeClassName: settings.runtimeClass }),
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      // A resolver answers to anyone: names are a way out.
      ...(spec.network === "no-network" && {
        dnsPolicy: "None",
        dnsConfig: { nameservers: ["127.0.0.1"] },
      }),
      initContainers: [
        ...(spec.programs ? [programsContainer(spec.programs, place)] : []),
        toolsContainer(place),
        probeContainer(place),
      ],
      containers: [mainContainer(spec, place), keeperContainer(spec, place)],
      volumes: [
        { name: "tools", emptyDir: { sizeLimit: "32Mi" } },
        ...(spec.programs ? [programsVolume(place)] : []),
      ],
    },
  };
}

function mainContainer(spec: SandboxSpec, { image, settings }: PodPlacement): V1Container {
  const cpus = spec.cpus ?? DEFAULT_LIMITS.cpus;
  const memory = `${spec.memoryMb ?? DEFAULT_LIMITS.memoryMb}Mi`;
  return {
    name: MAIN,
    image,
    imagePullPolicy: settings.pullPolicy,
    // Not for ever: it ends by itself where nobody is left to end it.
    command: [...anchorOf(spec)],
    env: Object.entries(spec.env).map(([name, value]) => ({ name, value: literal(value) })),
    ...(spec.workdir !== null && { workingDir: spec.workdir }),
    resources: {
      requests: {
        cpu: `${Math.ceil(cpus * CPU_REQUEST_SHARE * 1_000)}m`,
        memory,
        "ephemeral-storage": "64Mi",
      },
      limits: { cpu: String(cpus), memory, "ephemeral-storage": `${settings.storageMb}Mi` },
    },
    securityContext: { ...hardened(CAPABILITIES), runAsUser: 0, runAsGroup: 0 },
    volumeMounts: [
      { name: "tools", mountPath: TOOLS, readOnly: true },
      ...(spec.programs
        ? [
            {
              name: PROGRAMS,
              mountPath: spec.programs.at,
              subPath: spec.programs.digest,
              readOnly: true,
            },
          ]
        : []),
    ],
  };
}

/** One capability more than the sandbox: so no process of that can trace it, or read its memory. */
function keeperContainer({ programs }: SandboxSpec, { settings }: PodPlacement): V1Container {
  // A copy of the pod's own counts as its disk, as all its containers' limits together allow it.
  const copyMb = programs && settings.programsPath === null ? PROGRAMS_MB : 0;
  return {
    name: KEEPER,
    image: settings.helperImage,
    imagePullPolicy: settings.pullPolicy,
    command: [...KEEPER_ANCHOR],
    resources: {
      ...SMALL,
      limits: { ...SMALL.limits, "ephemeral-storage": `${HELPER_DISK_MB + copyMb}Mi` },
    },
    securityContext: {
      ...hardened([...CAPABILITIES, "SYS_CHROOT"]),
      runAsUser: 0,
      runAsGroup: 0,
      readOnlyRootFilesystem: true,
    },
  };
}

function programsVolume({ settings: { programsPath } }: PodPlacement): V1Volume {
  return programsPath === null
    ? { name: PROGRAMS, emptyDir: { sizeLimit: `${PROGRAMS_MB}Mi` } }
    : { name: PROGRAMS, hostPath: { path: programsPath, type: "DirectoryOrCreate" } };
}

function programsContainer({ digest }: BakedPrograms, { settings }: PodPlacement): V1Container {
  const complete = `${PROGRAMS_AT}/${digest}/${PROGRAMS_COMPLETE}`;
  return {
    name: PROGRAMS,
    image: settings.helperImage,
    imagePullPolicy: settings.pullPolicy,
    command: [
      "/bin/busybox",
      "sh",
      "-c",
      `until [ -e ${complete} ]; do /bin/busybox sleep 0.2; done`,
    ],
    resources: SMALL,
    securityContext: { ...hardened([]), runAsUser: 0, readOnlyRootFilesystem: true },
    volumeMounts: [{ name: PROGRAMS, mountPath: PROGRAMS_AT }],
  };
}

function toolsContainer({ settings }: PodPlacement): V1Container {
  return {
    name: "tools",
    image: settings.helperImage,
    imagePullPolicy: settings.pullPolicy,
    command: ["/bin/busybox", "cp", "/bin/busybox", BUSYBOX],
    resources: SMALL,
    securityContext: { ...hardened([]), runAsUser: 0, readOnlyRootFilesystem: true },
    volumeMounts: [{ name: "tools", mountPath: TOOLS }],
  };
}

function probeContainer({ image, settings }: PodPlacement): V1Container {
  return {
    name: PROBE,
    image,
    imagePullPolicy: settings.pullPolicy,
    command: [BUSYBOX, "sh", "-c", `${BUSYBOX} id -u > /dev/termination-log`],
    resources: SMALL,
    securityContext: hardened([]),
    volumeMounts: [{ name: "tools", mountPath: TOOLS, readOnly: true }],
  };
}

const hardened = (add: readonly string[]) => ({
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ["ALL"], ...(add.length > 0 && { add: [...add] }) },
});

/** `$(NAME)` would be another variable's value. */
const literal = (value: string) => value.replaceAll("$(", () => "$$(");

/** The nearest that a label can be; the annotation has it whole. */
/** What a label can hold of a text; the whole of it stands in an annotation. */
export const labelValue = (text: string) =>
  /[a-zA-Z0-9](?:.*[a-zA-Z0-9])?/.exec(text.replace(/[^\w.-]/g, "_").slice(0, MAX_LABEL))?.[0] ??
  "";
