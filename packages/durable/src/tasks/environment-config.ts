import { z } from "zod";
import { normalizeAllowedHost } from "#tasks/allowed-hosts.ts";
import { bool, float, oneOf, text, textMap, texts, whole } from "#tasks/lax-values.ts";

export const NetworkMode = oneOf(["no-network", "public", "allowlist"]);
export type NetworkMode = z.infer<typeof NetworkMode>;

export const AllowedHosts = z
  .array(
    text.transform((entry, ctx) => {
      const read = normalizeAllowedHost(entry);
      if ("host" in read) return read.host;
      ctx.issues.push({ code: "custom", input: entry, message: read.fault });
      return z.NEVER;
    }),
    { error: "must be a list of hosts in quotes" },
  )
  .nullable()
  .default(null);

/** Seconds, as all times of a task. */
export const Healthcheck = z.object({
  command: text,
  interval_sec: float.default(5),
  timeout_sec: float.default(30),
  start_period_sec: float.default(0),
  start_interval_sec: float.default(5),
  retries: whole.default(3),
});
export type Healthcheck = z.infer<typeof Healthcheck>;

export const McpServer = z
  .object({
    name: text,
    transport: z
      .preprocess(
        (value) => (value === "http" ? "streamable-http" : value),
        oneOf(["stdio", "sse", "streamable-http"]),
      )
      .default("sse"),
    url: text.nullable().default(null),
    command: text.nullable().default(null),
    args: texts.default([]),
  })
  .superRefine(({ transport, url, command }, ctx) => {
    const [key, value] = transport === "stdio" ? ["command", command] : ["url", url];
    if (value) return;
    ctx.addIssue({
      code: "custom",
      path: [key ?? ""],
      message: `is needed by transport "${transport}"`,
    });
  });
export type McpServer = z.infer<typeof McpServer>;

const Tpu = z.object({
  type: text.min(1, { error: "must not be empty" }),
  topology: text
    .trim()
    .regex(/^[1-9]\d*(?:x[1-9]\d*)+$/, { error: 'must be like "2x4" or "2x2x1"' }),
});

/** `"2G"`, `"512M"`, `"4096K"` in MB, of which a rest is dropped. */
function parseSize(size: string): number | null {
  const [, number, unit] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?)\s*([GMK])$/.exec(
    size.trim().toUpperCase(),
  ) ?? [null, "", ""];
  const factor = { G: 1024, M: 1, K: 1 / 1024 }[unit ?? ""];
  return factor === undefined ? null : Math.trunc(Number(number) * factor);
}

/** `memory` and `storage` of older tasks become `memory_mb` and `storage_mb`. */
const readLegacySizes = (value: unknown, ctx: z.core.ParsePayload): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const table: Record<string, unknown> = { ...value };
  for (const [old, now] of [
    ["memory", "memory_mb"],
    ["storage", "storage_mb"],
  ] as const) {
    const size = table[old];
    // Harbor drops one that is not a text, too.
    if (typeof size !== "string") continue;
    const megabytes = parseSize(size);
    const fault =
      megabytes === null
        ? 'must be like "2G" or "512M"'
        : now in table && table[now] !== megabytes
          ? `is ${megabytes} MB, which conflicts with ${now}: keep ${now} alone`
          : null;
    if (fault) ctx.issues.push({ code: "custom", input: size, path: [old], message: fault });
    else table[now] ??= megabytes;
  }
  return table;
};

const Environment = z
  .object({
    network_mode: NetworkMode.optional(),
    allowed_hosts: AllowedHosts,
    build_timeout_sec: float.default(600),
    docker_image: text.nullable().default(null),
    os: z
      .preprocess(
        (value) => (typeof value === "string" ? value.toLowerCase() : value),
        oneOf(["linux", "windows"]),
      )
      .default("linux"),
    cpus: whole.nullable().default(null),
    memory_mb: whole.nullable().default(null),
    storage_mb: whole.nullable().default(null),
    gpus: whole.nullable().default(null),
    gpu_types: texts.nullable().default(null),
    tpu: Tpu.nullable().default(null),
    mcp_servers: z.array(McpServer).default([]),
    /** Templates `${VAR}` and `${VAR:-default}` stay as they are until the task runs. */
    env: textMap.default({}),
    skills_dir: text.nullable().default(null),
    healthcheck: Healthcheck.nullable().default(null),
    workdir: text.nullable().default(null),
    allow_internet: bool.optional(),
  })
  .superRefine(({ network_mode, allowed_hosts }, ctx) => {
    if (network_mode === "allowlist" || !allowed_hosts?.length) return;
    ctx.addIssue(noAllowlist());
  })
  .transform(({ allow_internet, network_mode, ...rest }) => ({
    ...rest,
    network_mode: network_mode ?? legacyNetwork(allow_internet, rest.allowed_hosts),
  }));

export const noAllowlist = () => ({
  code: "custom" as const,
  path: ["allowed_hosts"],
  message: 'only goes with network_mode = "allowlist"',
});

const legacyNetwork = (
  isOnline: boolean | undefined,
  allowedHosts: string[] | null,
): NetworkMode => (isOnline === false && allowedHosts === null ? "no-network" : "public");

/** `[environment]` and `[verifier.environment]`. */
export const EnvironmentConfig = z.preprocess(readLegacySizes, Environment);
export type EnvironmentConfig = z.infer<typeof EnvironmentConfig>;

/** What may be reached over the network. */
export interface NetworkPolicy {
  mode: NetworkMode;
  /** Only with `allowlist`; normalised. */
  allowedHosts: readonly string[];
}

/** The policy of a table that has one. */
export const policyOf = (config: {
  network_mode: NetworkMode;
  allowed_hosts: string[] | null;
}): NetworkPolicy => ({ mode: config.network_mode, allowedHosts: config.allowed_hosts ?? [] });

export const isSamePolicy = (a: NetworkPolicy, b: NetworkPolicy) =>
  a.mode === b.mode && a.allowedHosts.join() === b.allowedHosts.join();
