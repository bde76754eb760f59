import { isIP, isIPv4 } from "node:net";
import type Docker from "dockerode";
import { removeContainer } from "#sandboxes/docker/remove-container.ts";
import { TrialError } from "#trials/trial-error.ts";

/** Where clouds keep the keys of a machine, and everything in this host's own networks. As pods have it. */
const PRIVATE = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
];
const PRIVATE_V6 = ["fc00::/7", "fe80::/10"];
const LINK_LOCAL = /^169\.254\./;
const MEMORY_BYTES = 32 * 1024 * 1024;

/** What public sandboxes reach beside the Internet, as the operator names it. */
export interface Reach {
  /** Their resolvers: a public one, or one of this network, which is reachable then. */
  resolvers: readonly string[];
  /** Private IPv4 addresses. */
  allowed: readonly string[];
}

/** Throws where an address is none, or could be a cloud's metadata service. */
export function parseReach(resolvers: string, allowed: string): Reach {
  const listOf = (name: string, text: string) => {
    const addresses = text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    for (const one of addresses)
      if (isIP(one) === 0 || LINK_LOCAL.test(one))
        throw new Error(`${name} has ${one}: name IP addresses, and none of 169.254.0.0/16.`);
    return addresses;
  };
  return {
    resolvers: listOf("LIVERL_DOCKER_DNS", resolvers),
    allowed: listOf("LIVERL_DOCKER_ALLOW", allowed),
  };
}

/**
 * The routes of a sandbox's network, by busybox. All goes by way of the gateway, which answers no requests itself: the route
 * to its network goes, so that its address is as unreachable as any other private one.
 */
export function barringScript({ resolvers, allowed }: Reach): string {
  const open = [...new Set([...resolvers, ...allowed])].filter(isIPv4);
  return [
    "set -e",
    "set -- $(ip route show default)",
    'gateway=$3; device=$5; [ -n "$gateway" ] && [ -n "$device" ]',
    ...PRIVATE.map((range) => `ip route add unreachable ${range}`),
    'ip route show dev "$device" | while read -r range _; do [ "$range" = default ] || ip route del "$range" dev "$device"; done',
    'ip route replace default via "$gateway" dev "$device" onlink',
    ...open.map((address) => `ip route add ${address} via "$gateway" dev "$device" onlink`),
    ...PRIVATE_V6.map((range) => `ip -6 route add unreachable ${range} 2> /dev/null || true`),
    "ip route show | grep -q '^unreachable 169.254.0.0/16'",
  ].join("\n");
}

/**
 * Takes the way to private addresses from a sandbox's network, before anything of the task runs in it. A container beside it
 * that may set routes does so and is gone; the sandbox itself has no right to change them back.
 */
export async function barPrivateNetworks(
  docker: Docker,
  {
    sandboxId,
    image,
    reach,
    labels,
  }: { sandboxId: string; image: string; reach: Reach; labels: Record<string, string> },
): Promise<void> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ["/bin/sh", "-c"],
    Cmd: [barringScript(reach)],
    Tty: true,
    User: "0",
    Labels: labels,
    HostConfig: {
      NetworkMode: `container:${sandboxId}`,
      CapDrop: ["ALL"],
      CapAdd: ["NET_ADMIN"],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: 16,
    },
  });
  try {
    await container.start();
    const { StatusCode } = await container.wait();
    if (StatusCode === 0) return;
    const said = await container.logs({ stdout: true, stderr: true, follow: false, tail: 5 });
    throw new TrialError(
      "SandboxError",
      `Private addresses could not be barred from a sandbox with network_mode = "public" (${said.toString("utf8").trim()}): LIVERL_DOCKER_HELPER_IMAGE has to have busybox with ip, or give the task network_mode = "no-network".`,
    );
  } finally {
    await removeContainer(container).catch(() => undefined);
  }
}
