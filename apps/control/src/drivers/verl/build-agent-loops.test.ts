import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DROP_REASONS } from "@liverl/contract/verl-launch";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { linksFrom } from "#drivers/verl/adapter-links.ts";
import { buildAgentLoops } from "#drivers/verl/build-agent-loops.ts";
import { collectProxy } from "#drivers/verl/collect-adapter.ts";
import { verlSpec } from "#testing/factories.ts";

const LINKS = {
  runnerUrl: "http://127.0.0.1:7000",
  runnerTokenPath: "/d/trainer.token",
  proxyUrl: "https://gateway.example/proxy/",
  workerTokenPath: "/d/worker.token",
};
const repository = fileURLToPath(new URL("../../../../..", import.meta.url));
const dist = join(repository, "dist");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "liverl-package-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("names LiveRL's proxy with a port that nobody has to guess", () => {
  const [loop] = parse(buildAgentLoops("run-1", verlSpec("/v"), LINKS));
  expect(loop).toMatchObject({
    proxy_url: "https://gateway.example:443/proxy",
    worker_token_path: "/d/worker.token",
  });
  expect(loop).not.toHaveProperty("proxy_mode");
});

it("has a host start its own, with neither address nor token of ours", () => {
  const spec = verlSpec("/v", { proxy: { mode: "local" } });
  const links = { ...LINKS, proxyBundle: "/dist/liverl-proxy.mjs", node: "/usr/bin/node" };
  const [loop] = parse(buildAgentLoops("run-1", spec, links));
  expect(loop).toMatchObject({
    proxy_mode: "local",
    model_dir: spec.model.path,
    proxy_bundle: "/dist/liverl-proxy.mjs",
    node: "/usr/bin/node",
  });
  expect(Object.keys(loop)).not.toContain("proxy_url");
  expect(Object.keys(loop)).not.toContain("worker_token_path");
});

it("asks a cluster elsewhere for the runner's address alone where its hosts have proxies", () => {
  const elsewhere = { name: "Ray at http://10.0.0.9:8265", url: "http://10.0.0.9:8265" };
  const links = (mode: "server" | "local", runner_url: string | null) =>
    linksFrom(
      elsewhere,
      { target: { runner_url, proxy_url: null }, proxy: { mode } },
      { here: LINKS, tokens: LINKS },
    );
  expect(links("local", "http://10.0.0.1:7000")).toEqual({
    ...{ runnerUrl: "http://10.0.0.1:7000", runnerTokenPath: LINKS.runnerTokenPath },
    ...{ proxyBundle: null, node: null },
  });
  expect(() => links("server", "http://10.0.0.1:7000")).toThrow(/target.proxy_url/);
  expect(() => links("local", null)).toThrow(/target.runner_url/);
});

it("carries a proxy that runs without this checkout", async () => {
  const files = await collectProxy(dist);
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const program = join(folder, "liverl_verl/proxy/liverl-proxy.mjs");
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: { PROXY_DATA_DIR: join(folder, "d"), PROXY_PORT: "0", PROXY_ADMIN_PORT: "0" },
  });
  const exited = once(child, "exit");
  const [line] = await once(child.stdout, "data");
  expect(JSON.parse(String(line))).toMatchObject({ event: "ready" });
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
  await expect(collectProxy(join(folder, "none"))).rejects.toMatchObject({ code: "BAD_REQUEST" });
}, 60_000);

it("the adapter takes the reasons that the form takes", async () => {
  const settings = await readFile(
    join(repository, "packages/verl-adapter/src/liverl_verl/settings.py"),
    "utf8",
  );
  const [, list = ""] = /^DROP_REASONS = \(\n([\s\S]*?)^\)$/m.exec(settings) ?? [];
  const names = [...list.matchAll(/^ {4}"(.+)",$/gm)].map(([, name]) => name);
  expect(names).toEqual(DROP_REASONS);
});
