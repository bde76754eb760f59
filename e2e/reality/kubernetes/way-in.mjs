// How the runner gets to a cluster of the suite: through a gate, as a user with the Role of docs/sandboxes.md and no more.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Gate } from "../kuberay/gate.mjs";

export const NAMESPACE = "sandboxes";
/** Nothing more is needed. */
const RULES = [
  { apiGroups: [""], resources: ["pods"], verbs: ["create", "get", "list", "watch", "delete"] },
  { apiGroups: [""], resources: ["pods/exec"], verbs: ["create", "get"] },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["create"] },
];

/** The gate, and the path of a kubeconfig that leads to it. */
export async function makeWayIn(cluster, directory) {
  await cluster.core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
  const gate = await new Gate(cluster.server, cluster.ca).start();
  const named = { name: "here" };
  const token = await cluster.account("liverl", NAMESPACE, RULES);
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "here" },
      clusters: [{ ...named, cluster: { server: gate.url, "insecure-skip-tls-verify": true } }],
      users: [{ ...named, user: { token } }],
      contexts: [{ ...named, context: { cluster: "here", user: "here", namespace: NAMESPACE } }],
    }),
  );
  return { gate, kubeconfig };
}
