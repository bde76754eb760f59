import type { ProxySettings } from "#config/proxy-settings.ts";

const RULES: readonly ((settings: ProxySettings) => string | false | undefined)[] = [
  ({ host, advertise }) =>
    advertise === "auto" &&
    isLoopback(host) &&
    `advertise: "auto" needs a host that others reach, and host is "${host}". Allowed: host 0.0.0.0, or no advertise.`,
  ({ advertise, workers }) =>
    workers > 1 &&
    advertise !== null &&
    advertise.includes("://") &&
    `advertise: "${advertise}" has one port, and each of the ${workers} workers has its own. Allowed: a host name or an IP address, or workers: 1.`,
  ({ port, workers }) =>
    port > 0 &&
    lastPort({ port, workers }) > 65_535 &&
    `port: ${port} leaves no room for ${workers} workers. Allowed: up to ${65_536 - workers}.`,
  ({ port, workers, adminPort }) =>
    port > 0 &&
    adminPort >= port &&
    adminPort <= lastPort({ port, workers }) &&
    `adminPort: ${adminPort} is a session port (${port} to ${lastPort({ port, workers })}). Allowed: any other.`,
  ({ adminToken, adminTokenFile }) =>
    adminToken !== null &&
    adminTokenFile !== null &&
    "adminToken and adminTokenFile are both given. Allowed: one of them.",
  ({ pools, workers }) => {
    const relayed = workers > 1 && pools.find(({ relay }) => relay === true);
    return (
      relayed &&
      `pools: "${relayed.id}" has relay: true, and workers that dial in reach one process. Allowed: workers: 1.`
    );
  },
  ({ pools }) => {
    const ids = pools.map(({ id }) => id);
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    return twice !== undefined && `pools: the id "${twice}" stands twice. Allowed: each id once.`;
  },
];

/** What no setting alone can tell: one line for each fault. */
export function faultsTogether(settings: ProxySettings): string[] {
  return RULES.map((rule) => rule(settings)).filter((line) => typeof line === "string");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function lastPort({ port, workers }: { port: number; workers: number }): number {
  return port + workers - 1;
}
