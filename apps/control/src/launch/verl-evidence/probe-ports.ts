import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { LocalVerlSpec } from "@liverl/contract/verl-launch";
import { readOverride } from "#launch/effective-spec.ts";
import type { PortEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** Keys of verl and Ray whose value is a port to listen on; without them both take free ones. */
const PORT_KEYS = [
  "ray_kwargs.ray_init.dashboard_port",
  "ray_kwargs.ray_init._metrics_export_port",
  "actor_rollout_ref.rollout.prometheus.port",
  "actor_rollout_ref.rollout.disaggregation.bootstrap_port",
  "transfer_queue.metrics.port",
];
const PORT_VARIABLES = ["MASTER_PORT"];

/** Whether the ports that a spec names can be listened on, on this machine. */
export async function probePorts(
  spec: Pick<LocalVerlSpec, "overrides" | "env">,
): Promise<PortEvidence[]> {
  const named = [
    ...PORT_KEYS.flatMap((key) => readOverride(spec, key) ?? []),
    ...PORT_VARIABLES.flatMap((name) => {
      const value = spec.env[name];
      return value === undefined ? [] : { path: `env.${name}`, value };
    }),
  ];
  const ports = named.flatMap(({ path, value }) => {
    const port = Number(value);
    return Number.isInteger(port) && port > 0 && port < 65_536 ? [{ path, port }] : [];
  });
  const seen: PortEvidence[] = [];
  // One after the other: a port that is named twice would be taken by our own look.
  for (const each of ports)
    seen.push({ ...each, isFree: (await listen(each.port, "0.0.0.0")) === null });
  return seen;
}

/** Why a proxy could not listen on this host's own address, where agents reach it; null where it could. */
export async function probeProxyAddress(advertised: string | undefined): Promise<string | null> {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => {
      return family === "IPv4" && !internal && !address.startsWith("169.254.");
    });
  if (own === undefined)
    return advertised
      ? null
      : "This machine has no IPv4 address but 127.0.0.1: set LLM_PROXY_IP to the one that agents reach.";
  const code = await listen(0, own.address);
  return code === null ? null : `Nothing can listen on ${own.address} (${code}).`;
}

/** Null, or why not. */
function listen(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
