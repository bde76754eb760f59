import { expect, it } from "vitest";
import { networkPolicyOf } from "#sandboxes/kubernetes/network-policies.ts";
import { buildPod, MAIN } from "#sandboxes/kubernetes/pod-spec.ts";
import type { SandboxSpec } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

const spec: SandboxSpec = {
  runId: "run-1",
  trialId: `${"long/".repeat(20)}end`,
  attempt: 2,
  image: { kind: "pull", name: "image" },
  buildTimeoutS: null,
  env: { NAME: "a=$(HOME) c" },
  workdir: null,
  cpus: 2,
  memoryMb: null,
  network: "no-network",
  allowedHosts: null,
  programs: null,
  lifeS: 600.5,
};
const place = {
  name: "liverl-x",
  instance: "i",
  image: "image",
  now: new Date(1_000_000),
  settings: {
    namespace: "n",
    pullPolicy: "Never",
    helperImage: "helper",
    runtimeClass: null,
    storageMb: 512,
    programsPath: null,
  },
} as const;

it("a pod without privileges, token, network or a life for ever", () => {
  const { metadata, spec: pod } = buildPod(spec, place);
  expect(pod).toMatchObject({
    restartPolicy: "Never",
    activeDeadlineSeconds: 661,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    dnsPolicy: "None",
    volumes: [{ name: "tools", emptyDir: {} }],
  });
  const all = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
  for (const { securityContext, imagePullPolicy, resources } of all) {
    expect(securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(imagePullPolicy).toBe("Never");
    // A quota refuses a pod with a container that has none.
    expect(Object.keys(resources?.limits ?? {})).toEqual(["cpu", "memory", "ephemeral-storage"]);
  }
  const main = all.find(({ name }) => name === MAIN);
  expect(main).toMatchObject({
    command: ["/.liverl/busybox", "sleep", "601"],
    env: [{ name: "NAME", value: "a=$$(HOME) c" }],
    resources: {
      requests: { cpu: "500m", memory: "2048Mi" },
      limits: { cpu: "2", memory: "2048Mi", "ephemeral-storage": "512Mi" },
    },
    volumeMounts: [{ readOnly: true }],
  });
  expect(metadata?.labels?.[LABEL.trial]).toMatch(/^[\w.-]{1,63}$/);
  expect(metadata?.annotations).toMatchObject({
    [LABEL.trial]: spec.trialId,
    [LABEL.expiresAt]: "1901",
  });
});

it("agents are the node's, read-only where they run, or the pod's own copy", () => {
  const programs = { digest: "abc", folder: "/here", at: "/opt/liverl" };
  const node = buildPod(
    { ...spec, programs },
    { ...place, settings: { ...place.settings, programsPath: "/var/agents" } },
  ).spec;
  expect(node?.volumes).toContainEqual({
    name: "programs",
    hostPath: { path: "/var/agents", type: "DirectoryOrCreate" },
  });
  expect(node?.initContainers?.map(({ name }) => name)).toEqual(["programs", "tools", "probe"]);
  expect(node?.containers?.find(({ name }) => name === MAIN)?.volumeMounts).toContainEqual({
    name: "programs",
    mountPath: "/opt/liverl",
    subPath: "abc",
    readOnly: true,
  });
  const own = buildPod({ ...spec, programs }, place).spec;
  expect(own?.volumes).toContainEqual({ name: "programs", emptyDir: { sizeLimit: "1024Mi" } });
  expect(own?.containers?.[1]?.resources?.limits?.["ephemeral-storage"]).toBe("1280Mi");
});

it("what reaches nothing has no egress; the public one has the Internet and no private address", () => {
  expect(networkPolicyOf("no-network").spec).toMatchObject({
    podSelector: { matchLabels: { "liverl.dev/network": "no-network" } },
    policyTypes: ["Ingress", "Egress"],
    ingress: [],
    egress: [],
  });
  const [internet] = networkPolicyOf("public").spec?.egress ?? [];
  expect(internet?.to?.[0]?.ipBlock?.except).toContain("169.254.0.0/16");
});
