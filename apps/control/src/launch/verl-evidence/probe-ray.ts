import { readFile } from "node:fs/promises";
import { z } from "zod";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { RayEvidence } from "#launch/verl-evidence/verl-evidence.ts";

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 16 * 1024 * 1024;
const Version = z.looseObject({ ray_version: z.string() });
const Authentication = z.looseObject({ authentication_mode: z.string() });
/** `GET /nodes?view=summary` of Ray 2.58: keys in camel case, resources by Ray's names. */
const Nodes = z.looseObject({
  data: z.looseObject({
    summary: z.array(
      z.looseObject({
        gpus: z.array(z.looseObject({ memoryTotal: z.number().nullish() })).nullish(),
        raylet: z.looseObject({
          state: z.string(),
          resourcesTotal: z.record(z.string(), z.unknown()).nullish(),
        }),
      }),
    ),
  }),
});

/** What a Ray cluster says of itself to its dashboard's API. Reads only. */
export async function probeRay(address: string, tokenPath: string | null): Promise<RayEvidence> {
  const { hostname } = new URL(address);
  const token = await readToken(tokenPath);
  const ask = async (path: string): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(new URL(path, address), {
      headers: token.value === null ? {} : { authorization: `Bearer ${token.value}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // A cluster has no reason to send us on, least of all with the token.
      redirect: "error",
    });
    const text = await boundedText(response);
    return { status: response.status, body: response.ok ? parseJson(text) : null };
  };
  const quietly = (path: string) => ask(path).catch(() => ({ status: 0, body: null }));
  const known = {
    hasToken: token.value !== null,
    tokenFault: token.fault,
    isLoopback: hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname),
  };
  const [version, authentication, nodes] = await Promise.all([
    ask("/api/version").catch((error: unknown) => ({ status: 0, body: null, error })),
    quietly("/api/authentication_mode"),
    quietly("/nodes?view=summary"),
  ]);
  const says = Version.safeParse(version.body);
  const mode = Authentication.safeParse(authentication.body).data?.authentication_mode;
  return {
    ...known,
    version: says.data?.ray_version ?? null,
    fault: says.success ? null : faultOf(version),
    authentication: mode === "disabled" || mode === "token" ? mode : "unknown",
    resources: resourcesOf(nodes.body),
  };
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`it answers with more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function faultOf({ status, error }: { status: number; error?: unknown }): string {
  if (status === 401) return "it asks for a token";
  if (status === 403) return "it does not take this token";
  if (status !== 0) return `it answers ${status} to /api/version: is this Ray's dashboard?`;
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : "nothing answers";
}

function resourcesOf(body: unknown): RayEvidence["resources"] {
  const parsed = Nodes.safeParse(body);
  if (!parsed.success) return null;
  const alive = parsed.data.data.summary.filter((node) => node.raylet.state === "ALIVE");
  const sum = (name: string) =>
    alive.reduce((total, node) => total + Number(node.raylet.resourcesTotal?.[name] ?? 0), 0);
  const memories = alive.flatMap(
    (node) => node.gpus?.flatMap((gpu) => gpu.memoryTotal ?? []) ?? [],
  );
  return {
    cpus: sum("CPU"),
    gpus: sum("GPU"),
    nodes: alive.length,
    gpuMb: memories.length === 0 ? null : Math.min(...memories),
  };
}

async function readToken(
  path: string | null,
): Promise<{ value: string | null; fault: string | null }> {
  if (path === null) return { value: null, fault: null };
  try {
    const value = (await readFile(expandHome(path), "utf8")).trim();
    return value === "" ? { value: null, fault: `${path} is empty` } : { value, fault: null };
  } catch {
    return { value: null, fault: `${path} can not be read` };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
