import { existsSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { AppError } from "@liverl/contract/app-error";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";

/** A cluster and who asks it. */
export interface KubePlace {
  config: KubeConfig;
  /** URL of the API server. */
  server: string;
  namespace: string;
}

/** What the library falls back to where it finds no configuration at all. */
const NOWHERE = "http://localhost:8080";

/**
 * The cluster of a kubeconfig's context. Without a path: KUBECONFIG, then ~/.kube/config, then the cluster that LiveRL
 * itself runs in. Throws a BAD_REQUEST that says what to set. Reads files, asks nothing.
 */
export function loadKube({
  kubeconfig,
  context,
  namespace,
}: {
  kubeconfig: string | null;
  context: string | null;
  namespace: string;
}): KubePlace {
  const from = kubeconfig ?? "the default kubeconfig";
  const config = readConfig(kubeconfig, from);
  if (context !== null) chooseContext(config, context, from);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined)
    throw new AppError("BAD_REQUEST", {
      userMessage: `The context ${config.getCurrentContext() || "(none is chosen)"} of ${from} names no cluster: choose one in target.context.`,
    });
  if (kubeconfig === null && server === NOWHERE)
    throw new AppError("BAD_REQUEST", {
      userMessage:
        "No kubeconfig was found: neither KUBECONFIG nor ~/.kube/config is there, and LiveRL does not run in a cluster. Set target.kubeconfig.",
    });
  // The library refuses it at each call, in words that do not say where.
  if (server.startsWith("http:") && !config.getCurrentCluster()?.skipTLSVerify)
    throw new AppError("BAD_REQUEST", {
      userMessage: `The cluster at ${server} would be asked without TLS, credentials and all: give its https address in the kubeconfig, or set insecure-skip-tls-verify there.`,
    });
  return { config, server, namespace };
}

function readConfig(path: string | null, from: string): KubeConfig {
  const config = new KubeConfig();
  try {
    if (path === null) config.loadFromDefault();
    else config.loadFromFile(fileAt(path));
    return config;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("BAD_REQUEST", {
      userMessage: `The kubeconfig can not be used (${from}): ${why.split("\n", 1)[0]}`,
      cause,
    });
  }
}

function chooseContext(config: KubeConfig, context: string, from: string): void {
  const known = config.getContexts().map(({ name }) => name);
  if (!known.includes(context))
    throw new AppError("BAD_REQUEST", {
      userMessage: `There is no context ${context} in ${from}: it has ${known.join(", ") || "none"}.`,
    });
  config.setCurrentContext(context);
}

function fileAt(path: string): string {
  const found = expandHome(path);
  if (existsSync(found)) return found;
  throw new AppError("BAD_REQUEST", { userMessage: `There is no kubeconfig at ${path}.` });
}
