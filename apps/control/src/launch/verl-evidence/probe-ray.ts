import { AppError } from "@liverl/contract/app-error";
import { request } from "undici";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { RayEvidence } from "#launch/verl-evidence/verl-evidence.ts";
import { outgoing } from "#outgoing.ts";
import { rayHeaders, rayUrl } from "#ray/call-ray.ts";
import type { RayNode } from "#ray/cluster-schemas.ts";
import { buildRayClient } from "#ray/ray-client.ts";

const TIMEOUT_MS = 3_000;

/** What a Ray cluster says of itself to its dashboard's API. Reads only. */
export async function probeRay(address: string, tokenPath: string | null): Promise<RayEvidence> {
  const { hostname } = new URL(address);
  const asked = { address, tokenPath: tokenPath === null ? null : expandHome(tokenPath) };
  const tokenFault = await faultOf(rayHeaders(asked));
  const hasToken = asked.tokenPath !== null && tokenFault === null;
  const ray = buildRayClient(
    { ...asked, tokenPath: hasToken ? asked.tokenPath : null },
    TIMEOUT_MS,
  );
  const version = ray.version();
  const [clockAheadS, fault, seen, mode, nodes] = await Promise.all([
    clockAhead(address),
    faultOf(version),
    version.catch(() => null),
    ray.authenticationMode().catch(() => null),
    ray.nodes().catch(() => null),
  ]);
  return {
    version: seen?.ray_version ?? null,
    fault,
    authentication: mode === "disabled" || mode === "token" ? mode : "unknown",
    hasToken,
    tokenFault,
    isLoopback: hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname),
    clockAheadS,
    resources: nodes && resourcesOf(nodes),
  };
}

/** By the Date header (RFC 9110, 6.6.1), which is in whole seconds, against the middle of the request. */
async function clockAhead(address: string): Promise<number | null> {
  const beganMs = Date.now();
  const { headers, body } = await request(rayUrl({ address }, "/api/version"), {
    dispatcher: outgoing,
    headers: { "user-agent": "liverl" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => ({ headers: { date: undefined }, body: null }));
  const middleMs = (beganMs + Date.now()) / 2;
  await body?.dump().catch(() => undefined);
  const thereMs = Date.parse(String(headers.date));
  // Half of the second that the header leaves out; and no -0.
  return Number.isNaN(thereMs) ? null : Math.round((thereMs + 500 - middleMs) / 1_000) + 0;
}

/** In words for the person who launches; null where all is well. */
function faultOf(asking: Promise<unknown>): Promise<string | null> {
  return asking.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.userMessage : String(error)),
  );
}

function resourcesOf(nodes: readonly RayNode[]): NonNullable<RayEvidence["resources"]> {
  const alive = nodes.filter(({ raylet }) => raylet.state === "ALIVE");
  const sum = (name: string) =>
    alive.reduce((total, { raylet }) => total + (raylet.resourcesTotal[name] ?? 0), 0);
  const memories = alive.flatMap(({ gpus }) => gpus.flatMap((gpu) => gpu.memoryTotal ?? []));
  return {
    cpus: sum("CPU"),
    gpus: sum("GPU"),
    nodes: alive.length,
    gpuMb: memories.length === 0 ? null : Math.min(...memories),
  };
}
