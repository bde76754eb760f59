import type { V1NetworkPolicy } from "@kubernetes/client-node";
import { NETWORK_LABEL } from "#sandboxes/kubernetes/pod-spec.ts";
import type { SandboxSpec } from "#sandboxes/sandbox.ts";
import { LABEL } from "#sandboxes/sandbox-labels.ts";

/** Of the cluster, its nodes and its cloud's metadata, as against the Internet. */
const PRIVATE = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
];

const nameOf = (network: SandboxSpec["network"]) => `liverl-sandbox-${network}`;

/**
 * Nobody reaches a sandbox. One without a network reaches nothing; a public one the Internet and the cluster's resolver.
 * The cluster stores this; its network plugin enforces it, or does not.
 */
export function networkPolicyOf(network: SandboxSpec["network"]): V1NetworkPolicy {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: nameOf(network), labels: { [LABEL.managedBy]: "liverl" } },
    spec: {
      podSelector: { matchLabels: { [LABEL.managedBy]: "liverl", [NETWORK_LABEL]: network } },
      policyTypes: ["Ingress", "Egress"],
      ingress: [],
      egress:
        network === "no-network"
          ? []
          : [
              { to: [{ ipBlock: { cidr: "0.0.0.0/0", except: PRIVATE } }] },
              {
                to: [
                  {
                    namespaceSelector: {
                      matchLabels: { "kubernetes.io/metadata.name": "kube-system" },
                    },
                    podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
                  },
                ],
                ports: [
                  { protocol: "UDP", port: 53 },
                  { protocol: "TCP", port: 53 },
                ],
              },
            ],
    },
  };
}
