import { isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { trimEnd } from "@liverl/contract/trim-end";
import { SettingsError } from "#config/settings-error.ts";

const EVERY_ADDRESS = new Set(["0.0.0.0", "::"]);

/**
 * Where agents reach sessions: a host without its port, or a whole URL as given. `auto`, or a host that stands for every
 * address, is the primary IPv4: the first address of `os.networkInterfaces()` that is neither internal nor link-local.
 */
export function advertisedHost(
  { host, advertise }: { host: string; advertise: string | null },
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string {
  if (advertise !== null && advertise !== "auto") return advertise;
  if (advertise === null && !EVERY_ADDRESS.has(host)) return host;
  const primary = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .find(
      ({ family, internal, address }) =>
        family === "IPv4" && !internal && !address.startsWith("169.254."),
    );
  if (primary) return primary.address;
  throw new SettingsError([
    'advertise: this host has no IPv4 address beside 127.0.0.1. Allowed: "advertise: <host name or IP address that agents reach>".',
  ]);
}

/** `http://<host>:<port>`, or the whole URL that `advertised` is. */
export function urlOf(advertised: string, port: number): string {
  if (advertised.includes("://")) return trimEnd(advertised, "/");
  return `http://${isIPv6(advertised) ? `[${advertised}]` : advertised}:${port}`;
}

/** An address that this host itself can connect to where something listens on `host`. */
export function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
