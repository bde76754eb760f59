import { isIP } from "node:net";
import { EnginePool } from "@liverl/contract/proxy-admin";
import { z } from "zod";

const Id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,140}$/);
const Path = z.string().regex(/^[^\0\r\n]+$/);
const Address = z.string().refine((text) => isIP(text) !== 0 || text === "localhost");
export const AdminToken = z.string().regex(/^[\x21-\x7e]{16,512}$/);
const Port = z.int().min(0).max(65_535);
const Megabytes = z.number().positive().max(1e9);
const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/;
const HttpUrl = z.url({ protocol: /^https?$/ });
const Advertise = z
  .string()
  .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text) || HttpUrl.safeParse(text).success);
const engineOf = (given: unknown) => (typeof given === "string" ? { url: given } : given);

/** A pool as `PUT /pools/:poolId` takes it, with its id; an engine may be its URL alone. */
const PoolSettings = z
  .strictObject({
    ...EnginePool.shape,
    id: Id,
    engines: z.array(z.preprocess(engineOf, EnginePool.shape.engines.element)).default([]),
    engineKeyPath: Path.nullable().default(null),
    modelDir: Path,
  })
  .refine(({ relay, engines }) => relay === true || engines.length > 0, {
    path: ["engines"],
    error: "a pool needs an engine, or relay: true",
  });

/** All that a stand-alone proxy can be told, by YAML key; `PROXY_*` variables have the same names in capitals. */
export const ProxySettings = z.strictObject({
  dataDir: Path,
  host: Address.default("127.0.0.1"),
  port: Port.default(8100),
  advertise: Advertise.nullable().default(null),
  adminHost: Address.default("127.0.0.1"),
  adminPort: Port.default(8080),
  adminToken: AdminToken.nullable().default(null),
  adminTokenFile: Path.nullable().default(null),
  metricsOpen: z.boolean().default(false),
  workers: z.int().min(1).max(64).default(1),
  pools: z.array(PoolSettings).default([]),
  sessionHours: z.number().positive().max(87_600).default(24),
  maxCalls: z.int().min(1).max(1e9).default(10_000),
  maxSessions: z.int().min(1).max(1e9).default(10_000),
  maxBodyMb: z.number().positive().max(512).default(32),
  maxMemoryMb: Megabytes.nullable().default(null),
  minFreeDiskMb: z.number().min(0).max(1e9).default(64),
  drainSeconds: z.number().min(0).max(86_400).default(30),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
});
export type ProxySettings = z.infer<typeof ProxySettings>;
export type SettingName = keyof ProxySettings;

/** What each setting may be, in the words of its error line and of `--help`. */
export const ALLOWED = {
  dataDir: "a folder that the proxy may write in; it is made where it is missing",
  host: "the IP address that sessions are served on (0.0.0.0 for all), default 127.0.0.1",
  port: "a whole number from 0 to 65535 for sessions, worker i listens on port + i, 0 takes free ones and keeps them, default 8100",
  advertise:
    "how agents reach this host: auto (its primary IPv4 address), a host name or an IP address, or with one worker a whole http(s) URL; default: host, or auto where that is 0.0.0.0",
  adminHost: "the IP address that the admin API is served on, default 127.0.0.1",
  adminPort: "a whole number from 0 to 65535 for the admin API, default 8080",
  adminToken: "16 to 512 visible ASCII characters; without one <dataDir>/proxy/admin.token is made",
  adminTokenFile: "a file that holds such a token, instead of adminToken",
  metricsOpen: "true or false: whether /metrics needs no token, default false",
  workers: "a whole number of processes from 1 to 64, default 1",
  pools:
    "a list of {id, engines: [http(s) URL, …], engineKeyPath?, modelDir, modelName, maxModelLen, relay?, family?, thinkingRetention?, textMode?, templateValues?}",
  sessionHours: "hours until a session expires that says nothing else, above 0, default 24",
  maxCalls: "the calls that a session may make that says nothing else, from 1, default 10000",
  maxSessions: "the sessions that one worker holds open, from 1, default 10000",
  maxBodyMb: "the largest request in MB, above 0 and up to 512, default 32",
  maxMemoryMb: "resident MB above which a worker takes no new session, above 0; default no limit",
  minFreeDiskMb: "free MB of disk below which no new call is taken, from 0, default 64",
  drainSeconds: "seconds from 0 to 86400 that calls may take to end after SIGTERM, default 30",
  logLevel: "trace, debug, info, warn, error or silent, default info",
} as const satisfies Record<SettingName, string>;

/** Settings whose variables are taken as they are; all others are JSON. */
export const TEXT_SETTINGS: ReadonlySet<string> = new Set<SettingName>([
  "dataDir",
  "host",
  "advertise",
  "adminHost",
  "adminToken",
  "adminTokenFile",
  "logLevel",
]);
