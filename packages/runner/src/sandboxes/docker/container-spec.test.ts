import { expect, it } from "vitest";
import { buildContainer } from "#sandboxes/docker/container-spec.ts";
import type { SandboxSpec } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

const spec: SandboxSpec = {
  runId: "run-1",
  trialId: "rollout-1",
  attempt: 2,
  image: { kind: "pull", name: "image" },
  buildTimeoutS: null,
  env: { NAME: "a=b c" },
  workdir: null,
  cpus: 64,
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
  publicNetwork: "liverl-public",
  resolvers: ["1.1.1.1"],
  programsVolume: null,
  hostCpus: 2,
  now: new Date(1_000_000),
};

it("a container without privileges, network or a life for ever", () => {
  const { HostConfig, Labels, ...rest } = buildContainer(spec, place);
  expect(rest).toEqual({
    name: "liverl-x",
    Image: "image",
    Entrypoint: ["/bin/sleep"],
    Cmd: ["601"],
    Env: ["NAME=a=b c"],
  });
  expect(HostConfig).toMatchObject({
    NetworkMode: "none",
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    PidsLimit: 512,
    Memory: 2_147_483_648,
    MemorySwap: 2_147_483_648,
    NanoCpus: 2_000_000_000,
    Init: true,
  });
  expect(HostConfig).not.toHaveProperty("Binds");
  expect(Labels).toMatchObject({
    [LABEL.instance]: "i",
    [LABEL.run]: "run-1",
    [LABEL.attempt]: "2",
    [LABEL.expiresAt]: "1901",
    "harbor-managed": "true",
  });
});

it("a network only where the task has one", () => {
  const open = buildContainer({ ...spec, network: "public", workdir: "/app" }, place);
  expect(open.HostConfig?.NetworkMode).toBe("liverl-public");
  // The host's own may be an address that is barred.
  expect(open.HostConfig?.Dns).toEqual(["1.1.1.1"]);
  expect(open.WorkingDir).toBe("/app");
});
