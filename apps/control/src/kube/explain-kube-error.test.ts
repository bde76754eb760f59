import { ApiException, KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { explainKubeError } from "#kube/explain-kube-error.ts";

const place = { config: new KubeConfig(), server: "https://k:6443", namespace: "train" };
const rayJobs = { verb: "create", resource: "rayjobs.ray.io" };
const answer = (code: number, body: object | string) =>
  new ApiException(code, "m", typeof body === "string" ? body : JSON.stringify(body), {});
const status = (message: string, more: object = {}) => ({ kind: "Status", message, ...more });

// The bodies are those of a Kubernetes 1.34.
test.each([
  [
    403,
    status("rayjobs.ray.io is forbidden: User x"),
    "FORBIDDEN",
    /may not create rayjobs.ray.io in the namespace train/,
  ],
  [403, status("exceeded quota: q, requested: pods=1"), "FORBIDDEN", /no quota left/],
  [401, "", "UNAUTHENTICATED", /does not know these credentials/],
  [404, "404 page not found\n", "BAD_REQUEST", /KubeRay is not installed/],
  [
    404,
    status('rayjobs.ray.io "a" not found', { details: { name: "a" } }),
    "NOT_FOUND",
    /not found/,
  ],
  [409, status("already exists", { reason: "AlreadyExists" }), "CONFLICT", /already exists/],
  [422, status("spec.x: Invalid value"), "BAD_REQUEST", /refuses the rayjobs.ray.io: spec.x/],
  [429, status("too many"), "TOO_MANY_REQUESTS", /asked too much/],
  [413, "", "TOO_LARGE", /of this size/],
  [500, status("etcdserver: leader changed"), "UNAVAILABLE", /leader changed/],
])("%d %j is %s", (code, body, kind, words) => {
  const { code: told, userMessage } = explainKubeError(place, rayJobs, answer(code, body));
  expect({ told, userMessage }).toEqual({ told: kind, userMessage: expect.stringMatching(words) });
});

test("a server that is not there says where it was looked for", () => {
  const refused = new Error("request to https://k:6443/x failed, reason: connect ECONNREFUSED");
  const { code, userMessage } = explainKubeError(place, rayJobs, refused);
  expect(code).toBe("UNAVAILABLE");
  expect(userMessage).toBe("Kubernetes does not answer at https://k:6443: connect ECONNREFUSED.");
});
