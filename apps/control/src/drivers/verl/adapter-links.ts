import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { AdapterLinks, LocalProxyLinks } from "#drivers/verl/build-agent-loops.ts";

const HERE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The data plane as a job of this machine sees it. */
export async function linksHere(dataDir: string): Promise<AdapterLinks> {
  const runner = join(dataDir, "runner");
  return {
    runnerUrl: `http://127.0.0.1:${await portIn(join(runner, "port"))}`,
    runnerTokenPath: join(runner, "trainer.token"),
    proxyUrl: `http://127.0.0.1:${await portIn(join(dataDir, "proxy/admin-port"))}`,
    workerTokenPath: join(dataDir, "proxy/worker.token"),
  };
}

/** Where a job's package or volume holds the tokens that this machine keeps in files, relative to its working directory. */
export const CARRIED_TOKENS = {
  runnerTokenPath: "liverl-tokens/trainer.token",
  workerTokenPath: "liverl-tokens/worker.token",
} as const;

/**
 * URLs of the data plane as a cluster's nodes reach it: what the spec says, else those of this machine where the cluster is
 * this machine. Throws a BAD_REQUEST that says what to set. Pure.
 */
function urlsFrom(
  cluster: { name: string; url: string | null },
  target: { runner_url: string | null; proxy_url: string | null },
  here: Pick<AdapterLinks, "runnerUrl" | "proxyUrl">,
): Pick<AdapterLinks, "runnerUrl" | "proxyUrl"> {
  const runnerUrl = target.runner_url ?? (isHere(cluster) ? here.runnerUrl : null);
  const proxyUrl = target.proxy_url ?? (isHere(cluster) ? here.proxyUrl : null);
  if (runnerUrl !== null && proxyUrl !== null) return { runnerUrl, proxyUrl };
  throw new AppError("BAD_REQUEST", {
    userMessage: `${cluster.name} runs on other machines, and LiveRL's trial runner and proxy listen on this one alone. Make ${here.runnerUrl} and ${here.proxyUrl} reachable from there (a tunnel or a gateway with TLS) and set target.runner_url and target.proxy_url to what its nodes should dial.`,
  });
}

/**
 * What a cluster's loops dial, and where its nodes have the tokens. Throws a BAD_REQUEST that says what to set. Pure.
 */
export function linksFrom(
  cluster: { name: string; url: string | null },
  {
    target,
    proxy,
  }: {
    target: { runner_url: string | null; proxy_url: string | null };
    proxy: { mode: "server" | "local" };
  },
  {
    here,
    tokens,
  }: { here: AdapterLinks; tokens: Pick<AdapterLinks, "runnerTokenPath" | "workerTokenPath"> },
): AdapterLinks | LocalProxyLinks {
  if (proxy.mode === "server") return { ...urlsFrom(cluster, target, here), ...tokens };
  return {
    runnerUrl: runnerUrlFrom(cluster, target, here),
    runnerTokenPath: tokens.runnerTokenPath,
    ...{ proxyBundle: null, node: null },
  };
}

/** The same of the trial runner alone, where the cluster's hosts start proxies of their own. */
function runnerUrlFrom(
  cluster: { name: string; url: string | null },
  target: { runner_url: string | null },
  here: Pick<AdapterLinks, "runnerUrl">,
): string {
  const runnerUrl = target.runner_url ?? (isHere(cluster) ? here.runnerUrl : null);
  if (runnerUrl !== null) return runnerUrl;
  throw new AppError("BAD_REQUEST", {
    userMessage: `${cluster.name} runs on other machines, and LiveRL's trial runner listens on this one alone. Make ${here.runnerUrl} reachable from there (a tunnel or a gateway with TLS) and set target.runner_url to what its nodes should dial.`,
  });
}

const isHere = ({ url }: { url: string | null }) =>
  url !== null && HERE.test(new URL(url).hostname);

async function portIn(path: string): Promise<number> {
  return Number((await readFile(path, "utf8")).trim());
}
