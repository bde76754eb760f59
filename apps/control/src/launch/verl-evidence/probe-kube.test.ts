import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KUBERAY_DEFAULTS } from "#launch/verl-defaults.ts";
import { probeKube } from "#launch/verl-evidence/probe-kube.ts";
import { KubeStandIn, send } from "#testing/kube-stand-in.ts";
import { testPlaces } from "#testing/test-places.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
let server: KubeStandIn;
beforeEach(async () => {
  server = await new KubeStandIn().start();
});
afterEach(() => server.stop());
const look = (change: object = {}) =>
  probeKube(
    {
      ...KUBERAY_DEFAULTS.target,
      namespace: "n",
      kubeconfig: server.kubeconfig,
      ...change,
    },
    testPlaces(),
  );

/** Answers a review as RBAC would that denies one verb of one resource. */
function deny(denied: { verb: string; resource: string; subresource?: string }) {
  server.answers.set(REVIEWS, (request, response) => {
    text(request).then((body) => {
      const { spec } = JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } };
      const asked = spec.resourceAttributes;
      const isDenied = Object.entries(denied).every(([key, value]) => asked[key] === value);
      send(response, 201, { status: { allowed: !isDenied && asked.namespace === "n" } });
    });
  });
}

test("a well cluster, and what RBAC denies by its name", async () => {
  server.json("/apis/ray.io/v1", { resources: [{ name: "rayjobs" }] });
  server.json("/api/v1/namespaces/n", { metadata: { name: "n" } });
  deny({ verb: "get", resource: "pods", subresource: "log" });
  expect(await look()).toEqual({
    ...{ server: server.url, fault: null, hasKubeRay: true, hasNamespace: true },
    denied: ["get pods/log"],
  });
});

test("no KubeRay, no namespace, or no right to look at it", async () => {
  deny({ verb: "nothing", resource: "" });
  server.json("/api/v1/namespaces/n", { kind: "Status", message: "not found" }, 404);
  expect(await look()).toMatchObject({ hasKubeRay: false, hasNamespace: false, denied: [] });
  server.json("/api/v1/namespaces/n", { kind: "Status", message: "forbidden" }, 403);
  expect(await look()).toMatchObject({ hasNamespace: null });
});

test("nobody answers, nobody is let in, nothing is configured", async () => {
  server.json("/apis/ray.io/v1", {}, 401);
  expect((await look()).fault).toMatch(/does not know these credentials/);
  expect((await look({ context: "other" })).fault).toMatch(/no context other/);
  expect(await look({ kubeconfig: "/tmp/nowhere" })).toMatchObject({ server: null });
});
