import { ApiException } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { RateLimit } from "#sandboxes/kubernetes/rate-limit.ts";
import { createPod } from "#sandboxes/kubernetes/start-pod.ts";

const { signal } = new AbortController();
const answers = (code: number, headers = {}) => new ApiException(code, "", "{}", headers);

/** A stand-in for the API server: it answers in this order, then takes what comes. */
function making(...faults: Error[]) {
  const calls = { tries: 0, times: [] as number[] };
  const createOne = async () => {
    calls.tries++;
    calls.times.push(performance.now());
    const fault = faults.shift();
    if (fault) throw fault;
    return {};
  };
  return { calls, make: createOne };
}
const create = (make: () => Promise<unknown>, rate = new RateLimit(1_000)) =>
  createPod(make, { server: "https://k", rate, signal });

it("holds back every pod for as long as a busy server says", async () => {
  const { calls, make } = making(answers(429, { "retry-after": "0.3" }));
  const rate = new RateLimit(1_000);
  await Promise.all([create(make, rate), create(make, rate)]);
  expect(calls.tries).toBe(3);
  const [first = 0, second = 0] = calls.times;
  expect(second - first).toBeGreaterThanOrEqual(290);
});

it("gives up on a server that stays busy", async () => {
  const busy = Array.from({ length: 10 }, () => answers(429, { "retry-after": "0" }));
  const { calls, make } = making(...busy);
  await expect(create(make)).rejects.toMatchObject({ exceptionType: "SandboxUnavailableError" });
  expect(calls.tries).toBe(6);
});

it("takes its own name for an answer that got lost, and tries what may pass again", async () => {
  const { calls, make } = making(new Error("socket hang up"), answers(409));
  await create(make);
  expect(calls.tries).toBe(2);
});

it("does not try again what will not pass", async () => {
  const { calls, make } = making(answers(403), answers(403));
  await expect(create(make)).rejects.toMatchObject({ exceptionType: "SandboxError" });
  const { make: unknown } = making(answers(401));
  await expect(create(unknown)).rejects.toThrow(/renew the kubeconfig/);
  expect(calls.tries).toBe(1);
});
