import type { KubeEvidence } from "#launch/verl-evidence/verl-evidence.ts";
import { fail, pass, set, type VerlRule, warn } from "#launch/verl-rules/verl-rule.ts";

/** The cluster answered, so that the other rules have something to judge. */
function isKnown(kube: KubeEvidence | null): kube is KubeEvidence {
  return kube !== null && kube.fault === null;
}

/** What a launch by KubeRay needs of its cluster. */
export const KUBE_RULES: readonly VerlRule[] = [
  {
    id: "kubeconfig",
    judge: (_spec, { kubeconfig }) =>
      kubeconfig === null
        ? null
        : kubeconfig.fault !== null
          ? fail("The kubeconfig can not be read", `${kubeconfig.path}: ${kubeconfig.fault}.`, {
              fix: set("target.kubeconfig", null, "Use the default"),
            })
          : pass("Kubeconfig", kubeconfig.path, { field: "target.kubeconfig" }),
  },
  {
    id: "kube-server",
    judge: (_spec, { kube, kubeconfig }) => {
      if (kube === null || (kubeconfig !== null && kubeconfig.fault !== null)) return null;
      return kube.fault === null
        ? pass("Kubernetes", `${kube.server}.`, { field: "target.context" })
        : fail("Kubernetes can not be asked", kube.fault, {
            field: kube.server === null ? "target.kubeconfig" : "target.context",
          });
    },
  },
  {
    id: "kuberay",
    judge: (_spec, { kube }) => {
      if (!isKnown(kube)) return null;
      return kube.hasKubeRay
        ? pass("KubeRay", "RayJobs are served (ray.io/v1).")
        : fail(
            "KubeRay is not installed",
            `The cluster at ${kube.server} has no rayjobs.ray.io: install the operator (helm install kuberay-operator kuberay/kuberay-operator), or choose another context.`,
            { field: "target.context" },
          );
    },
  },
  {
    id: "kube-namespace",
    judge: (spec, { kube }) => {
      if (spec.driver !== "kuberay" || !isKnown(kube)) return null;
      const { namespace } = spec.target;
      const at = { field: "target.namespace" };
      if (kube.hasNamespace === null)
        return warn(
          "The namespace was not looked for",
          `LiveRL may not get namespaces, which it need not: make sure that ${namespace} is there.`,
          at,
        );
      return kube.hasNamespace
        ? pass("Namespace", `${namespace}.`, at)
        : fail(
            "The namespace is not there",
            `Make it (kubectl create namespace ${namespace}), or name another.`,
            at,
          );
    },
  },
  {
    id: "kube-access",
    judge: (spec, { kube }) => {
      if (spec.driver !== "kuberay" || !isKnown(kube)) return null;
      const { namespace } = spec.target;
      const at = { field: "target.namespace" };
      return kube.denied.length === 0
        ? pass("Access", `LiveRL may do all that it needs in ${namespace}.`, at)
        : fail(
            "LiveRL may not do all that it needs",
            `In the namespace ${namespace} its user lacks: ${kube.denied.join(", ")}. docs/verl.md has a Role with all of it.`,
            at,
          );
    },
  },
  {
    id: "pods-reach-liverl",
    judge: (spec) => {
      if (spec.driver !== "kuberay") return null;
      const needed =
        spec.proxy.mode === "local"
          ? (["runner_url"] as const)
          : (["runner_url", "proxy_url"] as const);
      const lacking = needed.filter((key) => spec.target[key] === null);
      return lacking.length === 0
        ? null
        : fail(
            "Pods can not reach LiveRL",
            "The trial runner and the proxy listen on 127.0.0.1 of this machine. Make them reachable from the cluster, by a gateway or a tunnel, and give their URLs.",
            { field: `target.${lacking[0]}` },
          );
    },
  },
  {
    id: "proxy-in-image",
    judge: (spec) =>
      spec.driver !== "kuberay" || spec.proxy.mode !== "local" || spec.env.LIVERL_PROXY_BUNDLE
        ? null
        : fail(
            "The pods do not have the proxy's program",
            "It is too large for a ConfigMap. Put dist/stand-alone (npm run build) and Node.js 20.19 or later into the image, and name the file in env: LIVERL_PROXY_BUNDLE=/opt/liverl/liverl-proxy.mjs.",
            { field: "env" },
          ),
  },
  {
    id: "image",
    judge: (spec) => {
      if (spec.driver !== "kuberay") return null;
      const { image } = spec.target;
      const name = image.slice(image.lastIndexOf("/") + 1);
      if (!image.includes("@sha256:") && (!name.includes(":") || name.endsWith(":latest")))
        return warn(
          "The image is not pinned",
          `${image} may be another tomorrow: name a tag or a digest.`,
          { field: "target.image" },
        );
      return image.includes("/")
        ? pass("Image", `${image}.`, { field: "target.image" })
        : warn(
            "The image names no registry",
            `Nodes look for ${image} in Docker Hub unless they have it. It needs Ray and verl.`,
            { field: "target.image" },
          );
    },
  },
];
