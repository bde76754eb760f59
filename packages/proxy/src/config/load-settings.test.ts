import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { loadSettings, variableOf } from "#config/load-settings.ts";
import { ALLOWED, ProxySettings } from "#config/proxy-settings.ts";
import { SettingsError } from "#config/settings-error.ts";
import { makeTemporaryDirectory } from "#testing/make-temporary-directory.ts";

const DATA = { PROXY_DATA_DIR: "/data" };
const POOL = { id: "p", engines: ["http://e:1"], modelDir: "/m", modelName: "m", maxModelLen: 99 };

let directory: string;
beforeAll(async () => {
  directory = await makeTemporaryDirectory("settings");
});

async function yaml(text: string): Promise<string> {
  const path = join(directory, "proxy.yaml");
  await writeFile(path, text);
  return path;
}

function linesOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  throw new Error("the settings were taken");
}

it("takes a file, lets variables win, and fills the rest with defaults", async () => {
  const path = await yaml(`
dataDir: data
port: 9000
workers: 2
pools:
  - id: policy
    engines: [http://10.0.0.5:8000, { url: "http://10.0.0.6:8000" }]
    modelDir: /models/q
    modelName: q
    maxModelLen: 32768
`);
  const settings = loadSettings(path, { PROXY_PORT: "9100", PROXY_METRICS_OPEN: "true" });
  expect(settings).toMatchObject({
    dataDir: resolve("data"),
    port: 9100,
    workers: 2,
    metricsOpen: true,
    drainSeconds: 30,
    pools: [
      {
        id: "policy",
        engines: [{ url: "http://10.0.0.5:8000" }, { url: "http://10.0.0.6:8000" }],
        engineKeyPath: null,
      },
    ],
  });
  expect(loadSettings(null, { ...DATA, PROXY_POOLS: JSON.stringify([POOL]) }).pools).toHaveLength(
    1,
  );
  // An orchestrator that sets a variable to nothing has not set it.
  expect(loadSettings(await yaml("dataDir: /d\n# nothing else\n"), {}).port).toBe(8100);
});

it("has a variable for every setting", () => {
  expect(Object.keys(ALLOWED)).toEqual(Object.keys(ProxySettings.shape));
  expect(variableOf("maxBodyMb")).toBe("PROXY_MAX_BODY_MB");
});

it.each<[string, Record<string, string>, string]>([
  ["a word for a port", { PROXY_PORT: "http" }, 'PROXY_PORT: "http" is not allowed'],
  ["a negative port", { PROXY_PORT: "-1" }, "PROXY_PORT: -1 is not allowed"],
  ["a port that is none", { PROXY_ADMIN_PORT: "65536" }, "PROXY_ADMIN_PORT: 65536 is not allowed"],
  ["half a port", { PROXY_PORT: "80.5" }, "PROXY_PORT: 80.5 is not allowed"],
  ["a negative number", { PROXY_DRAIN_SECONDS: "-3" }, "PROXY_DRAIN_SECONDS: -3 is not allowed"],
  ["a number that is none", { PROXY_MAX_CALLS: "NaN" }, 'PROXY_MAX_CALLS: "NaN" is not allowed'],
  ["no worker", { PROXY_WORKERS: "0" }, "PROXY_WORKERS: 0 is not allowed"],
  ["yes for true", { PROXY_METRICS_OPEN: "yes" }, 'PROXY_METRICS_OPEN: "yes" is not allowed'],
  ["a name for an address", { PROXY_HOST: "my host" }, 'PROXY_HOST: "my host" is not allowed'],
  ["half an address", { PROXY_ADMIN_HOST: "10.0.0" }, 'PROXY_ADMIN_HOST: "10.0.0" is not allowed'],
  ["a path with a line end", { PROXY_DATA_DIR: "/a\nb" }, 'PROXY_DATA_DIR: "/a\\nb" is not'],
  ["an unknown level", { PROXY_LOG_LEVEL: "loud" }, 'PROXY_LOG_LEVEL: "loud" is not allowed'],
  ["an unknown variable", { PROXY_PROT: "1" }, "PROXY_PROT is unknown. Allowed: PROXY_DATA_DIR,"],
  ["broken JSON", { PROXY_POOLS: "[{" }, 'PROXY_POOLS: "[{" is not JSON ('],
  ["JSON of another shape", { PROXY_POOLS: "{}" }, "PROXY_POOLS: {} is not allowed"],
  [
    "an engine that is no URL",
    { PROXY_POOLS: JSON.stringify([{ ...POOL, engines: ["e:1"] }]) },
    'PROXY_POOLS[0].engines[0].url: "e:1" is not allowed',
  ],
  [
    "a pool without its model",
    { PROXY_POOLS: JSON.stringify([{ ...POOL, modelDir: undefined }]) },
    "PROXY_POOLS[0].modelDir is missing. Needed: a list of",
  ],
  [
    "an unknown part of a pool",
    { PROXY_POOLS: JSON.stringify([{ ...POOL, windw: 1 }]) },
    'PROXY_POOLS[0]: "windw" is unknown',
  ],
  ["an id twice", { PROXY_POOLS: JSON.stringify([POOL, POOL]) }, 'pools: the id "p" stands twice'],
  [
    "a pool without engines",
    { PROXY_POOLS: JSON.stringify([{ ...POOL, engines: [] }]) },
    "PROXY_POOLS[0].engines: [] is not allowed (a pool needs an engine, or relay: true)",
  ],
  [
    "a relay over several workers",
    { PROXY_POOLS: JSON.stringify([{ ...POOL, engines: [], relay: true }]), PROXY_WORKERS: "2" },
    'pools: "p" has relay: true',
  ],
  ["auto on loopback", { PROXY_ADVERTISE: "auto" }, 'advertise: "auto" needs a host that others'],
  [
    "one URL for two workers",
    { PROXY_ADVERTISE: "http://x/y", PROXY_WORKERS: "2" },
    'advertise: "http://x/y" has one port',
  ],
  ["an address with a space", { PROXY_ADVERTISE: "a b" }, 'PROXY_ADVERTISE: "a b" is not allowed'],
  ["ports that meet", { PROXY_PORT: "8079", PROXY_WORKERS: "2" }, "adminPort: 8080 is a session"],
  ["ports that run out", { PROXY_PORT: "65535", PROXY_WORKERS: "2" }, "port: 65535 leaves no room"],
  [
    "two tokens",
    { PROXY_ADMIN_TOKEN: "0123456789abcdef", PROXY_ADMIN_TOKEN_FILE: "/t" },
    "adminToken and adminTokenFile are both given",
  ],
])("says in one line what is wrong with %s", (_, variables, line) => {
  const [first, ...more] = linesOf(() => loadSettings(null, { ...DATA, ...variables }));
  expect(first).toContain(line);
  expect(first).not.toContain("\n");
  expect(more).toEqual([]);
});

it.each<[string, string, string]>([
  ["a list", "- 1", "must hold settings"],
  ["broken YAML", "dataDir: [1", "is not YAML: "],
  ["a key twice", "dataDir: /a\ndataDir: /b", "is not YAML: Map keys must be unique"],
  ["text for a number", 'dataDir: /a\nport: "80"', 'port: "80" is not allowed. Allowed: a whole'],
  ["an unknown key", "dataDir: /a\nprot: 80", "prot is unknown. Allowed: dataDir, host, port,"],
  ["no folder", "port: 80", "dataDir is missing. Needed: a folder"],
  ["a prototype's key", "dataDir: /a\n__proto__: 1", "__proto__ is unknown"],
])("says in one line what is wrong with a file that holds %s", async (_, text, line) => {
  const path = await yaml(text);
  const [first, ...more] = linesOf(() => loadSettings(path, {}));
  expect(first).toContain(line);
  expect(more).toEqual([]);
});

it("never shows a token, and names each fault in a line of its own", () => {
  const lines = linesOf(() => loadSettings(null, { PROXY_ADMIN_TOKEN: "secret", PROXY_PORT: "x" }));
  expect(lines).toHaveLength(3);
  expect(lines.join("\n")).not.toContain("secret");
  expect(linesOf(() => loadSettings("/nowhere.yaml", {}))).toMatchObject([
    expect.stringContaining("--config /nowhere.yaml can not be read"),
  ]);
});

it("takes the settings of the manifest and of the user's page", async () => {
  const root = new URL("../../../../", import.meta.url);
  const manifest = await readFile(new URL("infra/proxy/kubernetes.yaml", root), "utf8");
  const documents = parseAllDocuments(manifest).map((document) => document.toJS());
  const map = documents.find(({ kind }) => kind === "ConfigMap") as {
    data: Record<string, string>;
  };
  expect(loadSettings(await yaml(map.data["proxy.yaml"]!), {}).pools).toHaveLength(1);
  const page = await readFile(new URL("docs/proxy.md", root), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1];
  expect(loadSettings(await yaml(example!), {})).toMatchObject({ workers: 4, advertise: "auto" });
  for (const name of Object.keys(ALLOWED)) expect(page).toContain(`\`${name}\``);
});
