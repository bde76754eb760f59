import { readFileSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import { AppError } from "@liverl/contract/app-error";
import { parse } from "yaml";
import { z } from "zod";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import { checkKubeconfig, type NamedPlaces } from "#named-places.ts";
import { refuseBarred } from "#outgoing.ts";

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
 * itself runs in. Throws a BAD_REQUEST that says what to set, FORBIDDEN for a file that nobody named, for one that would start
 * programs or read further files, and for a server at a barred address. Reads files, asks nothing.
 */
export function loadKube(
  {
    kubeconfig,
    context,
    namespace,
  }: {
    kubeconfig: string | null;
    context: string | null;
    namespace: string;
  },
  places: NamedPlaces,
): KubePlace {
  const from = kubeconfig ?? "the default kubeconfig";
  const config = readConfig(kubeconfig, from, places);
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
  refuseBarred(server);
  // The library refuses it at each call, in words that do not say where.
  if (server.startsWith("http:") && !config.getCurrentCluster()?.skipTLSVerify)
    throw new AppError("BAD_REQUEST", {
      userMessage: `The cluster at ${server} would be asked without TLS, credentials and all: give its https address in the kubeconfig, or set insecure-skip-tls-verify there.`,
    });
  return { config, server, namespace };
}

function readConfig(path: string | null, from: string, places: NamedPlaces): KubeConfig {
  const config = new KubeConfig();
  try {
    if (path === null) config.loadFromDefault();
    else config.loadFromString(readNamed(path, places));
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

/** Ways for a user to be known that start a program or read a file; the library's own spelling of the last among them. */
const REACHING = ["exec", "auth-provider", "tokenFile", "token-file"];
const Users = z.object({
  users: z
    .array(z.looseObject({ name: z.string().optional(), user: z.record(z.string(), z.unknown()) }))
    .nullish(),
});

/** The text of a kubeconfig that a spec names. Only those of the operator's own environment may start programs. */
function readNamed(path: string, places: NamedPlaces): string {
  const { isOwn } = checkKubeconfig(places, path);
  let text: string;
  try {
    text = readFileSync(expandHome(path), "utf8");
  } catch (cause) {
    throw new AppError("BAD_REQUEST", { userMessage: `There is no kubeconfig at ${path}.`, cause });
  }
  if (isOwn) return text;
  // The library reads files while it loads, so this is looked at before; and what was looked at is what it loads.
  const content: unknown = parse(text, { merge: true }) ?? {};
  const { users } = Users.parse(content);
  for (const { name, user } of users ?? []) {
    const found = REACHING.find((key) => user[key] !== undefined && user[key] !== null);
    if (found !== undefined)
      throw new AppError("FORBIDDEN", {
        userMessage: `The user ${name ?? ""} of ${path} has ${found}, which starts a program or reads a file. Give it a token or a certificate, or start LiveRL with KUBECONFIG=${path}.`,
      });
  }
  return JSON.stringify(content);
}
