import { spawn } from "node:child_process";
import { access, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { attempt, test as base, tokenOf } from "#fixtures/attacker.ts";
import { expect, type LiveRL } from "#fixtures/liverl.ts";

/** `scratch`: a folder outside of the data directory. */
const test = base.extend<{ scratch: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
  scratch: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "liverl-attack-"));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

interface Spec {
  driver: string;
  target: Record<string, unknown>;
}

/** A preset's spec of this driver, with another target. */
async function specOf(
  liverl: LiveRL,
  driver: string,
  target: Record<string, unknown>,
): Promise<Spec> {
  const token = await tokenOf(liverl, "read");
  const { text } = await attempt(liverl, "/api/v1/launch/presets", { token });
  const { defaults, presets } = JSON.parse(text) as { defaults: Spec[]; presets: { spec: Spec }[] };
  const found = [...defaults, ...presets.map(({ spec }) => spec)].find(
    (spec) => spec.driver === driver,
  );
  if (!found) throw new Error(`no preset has the driver ${driver}`);
  return { ...found, target: { ...found.target, ...target } };
}

/** Plans with a token that may operate, and gives what the preflight says of the target. */
async function planned(liverl: LiveRL, spec: Spec): Promise<string[]> {
  const token = await tokenOf(liverl, "operate");
  const { status, text } = await attempt(liverl, "/api/v1/launch/plan", { token, body: { spec } });
  expect(status, text).toBe(200);
  const { faults, preflight } = JSON.parse(text) as {
    faults: unknown[];
    preflight: { id: string; why: string }[];
  };
  expect(faults).toEqual([]);
  return preflight.flatMap(({ id, why }) => (id.startsWith("places-") ? [why] : []));
}

/** Launches with `force`, which no preflight stops. */
async function launched(liverl: LiveRL, spec: Spec): Promise<number> {
  const token = await tokenOf(liverl, "operate");
  const idempotencyKey = `attack-${Math.random()}`;
  const body = { spec, idempotencyKey, force: true };
  return (await attempt(liverl, "/api/v1/run/launch", { token, body })).status;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("a read token may not plan a launch", async ({ liverl, listener }) => {
  const token = await tokenOf(liverl, "read");
  const spec = await specOf(liverl, "ray-job", {
    address: listener.url,
    token_path: join(liverl.dataDir, "operator.token"),
  });
  const input = encodeURIComponent(JSON.stringify({ spec }));
  const tries = [
    await attempt(liverl, "/api/v1/launch/plan", { token, body: { spec } }),
    await attempt(liverl, "/trpc/launch.plan", { token, body: { spec } }),
    await attempt(liverl, `/trpc/launch.plan?input=${input}`, { token }),
    await attempt(liverl, `/api/v1/launch/plan?spec=${input}`, { token }),
  ];
  for (const { status, text } of tries) expect([403, 404, 405], text).toContain(status);
  expect(listener.received).toEqual([]);
});

test("a plan sends no file as a token that the operator did not name", async ({
  liverl,
  listener,
  scratch,
}) => {
  const secret = join(liverl.dataDir, "operator.token");
  await symlink(secret, join(scratch, "link"));
  await symlink(liverl.dataDir, join(scratch, "folder"));
  await writeFile(join(scratch, "one-line"), "hf_secret\n");
  const paths = [
    secret,
    `${liverl.dataDir}/../${liverl.dataDir.split("/").at(-1)}/operator.token`,
    join(scratch, "link"),
    join(scratch, "folder/ingest.token"),
    join(scratch, "one-line"),
    "/etc/hostname",
  ];
  for (const token_path of paths) {
    const spec = await specOf(liverl, "ray-job", { address: listener.url, token_path });
    expect(await planned(liverl, spec), token_path).toHaveLength(1);
    expect(await launched(liverl, spec), token_path).toBe(403);
  }
  expect(listener.received).toEqual([]);
});

test("a plan connects to no address where clouds keep a machine's keys", async ({ liverl }) => {
  for (const address of [
    "http://169.254.169.254",
    "http://2852039166:80",
    "http://[::ffff:169.254.169.254]",
    "http://[fd00:ec2::254]",
  ]) {
    const spec = await specOf(liverl, "ray-job", { address, token_path: null });
    expect((await planned(liverl, spec))[0], address).toContain("machine's keys");
    expect(await launched(liverl, spec), address).toBe(403);
  }
});

test("a plan starts no program of a kubeconfig that the operator did not name", async ({
  liverl,
  scratch,
}) => {
  const marker = join(scratch, "was-run");
  const kubeconfig = JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
    clusters: [
      { name: "c", cluster: { server: "https://127.0.0.1:9", "insecure-skip-tls-verify": true } },
    ],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    users: [
      {
        name: "u",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1",
            ...{ command: "touch", args: [marker], interactiveMode: "Never" },
          },
        },
      },
    ],
  });
  const uploaded = join(liverl.dataDir, "runs/some-run/artifacts/kube.yaml");
  await mkdir(join(uploaded, ".."), { recursive: true });
  for (const path of [uploaded, join(scratch, "kube.yaml")]) {
    await writeFile(path, kubeconfig);
    const spec = await specOf(liverl, "kuberay", { kubeconfig: path });
    expect(await planned(liverl, spec), path).toHaveLength(1);
    expect(await launched(liverl, spec), path).toBe(403);
  }
  expect(await isThere(marker)).toBe(false);
});

test("a plan starts no interpreter that the operator did not name", async ({ liverl, scratch }) => {
  const marker = join(scratch, "was-run");
  const script = `#!/bin/sh\ntouch ${marker}\necho $0\n`;
  await mkdir(join(scratch, "bin"));
  const own = join(liverl.dataDir, "runs/python3");
  await mkdir(join(own, ".."), { recursive: true });
  const scripts = [join(scratch, "python3"), join(scratch, "bin/python"), own];
  for (const path of scripts) await writeFile(path, script, { mode: 0o755 });
  for (const python of [...scripts, "/bin/sh", "/usr/bin/env"]) {
    const spec = await specOf(liverl, "local-verl", { venv: null, python });
    expect(await planned(liverl, spec), python).toHaveLength(1);
    expect(await launched(liverl, spec), python).toBe(403);
  }
  const spec = await specOf(liverl, "local-verl", { venv: scratch, python: null });
  expect(await planned(liverl, spec)).toHaveLength(1);
  expect(await isThere(marker)).toBe(false);
});

test("`liverl mcp --read-only` offers no tool that plans or acts, and says which reach out", async ({
  liverl,
}) => {
  const token = await tokenOf(liverl, "admin");
  const document = await attempt(liverl, "/api/v1/openapi.json", { token });
  const { paths } = JSON.parse(document.text) as {
    paths: Record<string, Record<string, { operationId: string; "x-liverl-scope": string }>>;
  };
  const reads = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => operation["x-liverl-scope"] === "read")
    .map(({ operationId }) => toolName(operationId));
  const readOnly = await toolsOf(liverl, "--read-only");
  const names = readOnly.map(({ name }) => name);
  expect(names).toContain("run_get");
  expect(names).not.toContain("launch_plan");
  for (const name of names) expect([...reads, "log_tail"]).toContain(name);
  for (const { annotations } of readOnly)
    expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
  const plan = (await toolsOf(liverl)).find(({ name }) => name === "launch_plan");
  expect(plan?.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true });
});

const toolName = (operationId: string) =>
  operationId.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`).replace(/[^a-z0-9]+/g, "_");

interface Tool {
  name: string;
  annotations: Record<string, boolean>;
}

/** Asks the MCP server for its tools, by its protocol of one JSON object a line. */
async function toolsOf({ dist, dataDir }: LiveRL, ...flags: string[]): Promise<Tool[]> {
  const argv = [join(dist, "liverl.mjs"), "mcp", "--data-dir", dataDir, ...flags];
  const server = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (message: object) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "attacker", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const answer = JSON.parse(line) as { id: number; result: { tools: Tool[] } };
      if (answer.id === 2) return answer.result.tools;
      send({ method: "notifications/initialized" });
      send({ id: 2, method: "tools/list", params: {} });
    }
  } finally {
    server.stdin.end();
    server.kill();
  }
  throw new Error("the MCP server gave no tools");
}
