import { expect, it, vi } from "vitest";
import { EngineReplicas } from "#backends/engine-replicas.ts";
import { EngineFull, type InferenceBackend } from "#backends/inference-backend.ts";

/** A stand-in that samples nothing: only its health and its end are looked at. */
function backend(isHealthy = () => true) {
  const closed = vi.fn();
  const standIn: InferenceBackend = {
    generate: () => {
      throw new Error("not asked here");
    },
    abort: async () => {},
    weightVersion: async () => null,
    scorePrompt: async () => [],
    isHealthy: async () => isHealthy(),
    close: async () => closed(),
    destroy: async () => closed(),
  };
  return { standIn, closed };
}

const signal = () => new AbortController().signal;

it("takes the session's own replica, else the least loaded", async () => {
  const replicas = new EngineReplicas([{ url: "a" }, { url: "b" }], () => backend().standIn);
  const first = await replicas.acquire(null, signal());
  const second = await replicas.acquire(null, signal());
  expect([first.url, second.url].sort()).toEqual(["a", "b"]);
  expect((await replicas.acquire("b", signal())).url).toBe("b");
  expect((await replicas.acquire(null, signal())).url).toBe("a");
  await replicas.destroy();
});

it("keeps the count of a replica that stays, and lets one that went end what it has", async () => {
  const made = new Map<string, ReturnType<typeof backend>>();
  const replicas = new EngineReplicas([{ url: "a" }, { url: "b" }], ({ url }) => {
    const one = backend();
    made.set(url, one);
    return one.standIn;
  });
  const [a, b] = [await replicas.acquire("a", signal()), await replicas.acquire("b", signal())];
  replicas.follow([{ url: "b" }, { url: "c" }]);
  expect(replicas.replicas.map(({ url, draining, inFlight }) => [url, draining, inFlight])).toEqual(
    [
      ["a", true, 1],
      ["b", false, 1],
      ["c", false, 0],
    ],
  );
  expect((await replicas.acquire("a", signal())).url).toBe("c");
  expect(made.get("a")!.closed).not.toHaveBeenCalled();
  replicas.release(a);
  expect(made.get("a")!.closed).toHaveBeenCalledOnce();
  expect(replicas.replicas.map(({ url }) => url)).toEqual(["b", "c"]);
  replicas.release(b);
  await replicas.destroy();
});

it("lets turns wait in line for a slot, and says full when the line is long", async () => {
  const replicas = new EngineReplicas([], () => backend().standIn);
  const waiting = replicas.acquire(null, signal());
  const worker = replicas.join("relay:w", backend().standIn, 1);
  expect((await waiting).url).toBe("relay:w");
  const order: number[] = [];
  const gone = new AbortController();
  const left = replicas.acquire(null, gone.signal);
  const queued = Array.from({ length: 63 }, (_, i) =>
    replicas.acquire(null, signal()).then((replica) => {
      order.push(i);
      replicas.release(replica);
    }),
  );
  await expect(replicas.acquire(null, signal())).rejects.toThrow(EngineFull);
  gone.abort("client-gone");
  await expect(left).rejects.toThrow(/nobody waits/);
  replicas.release(worker);
  await Promise.all(queued);
  expect(order).toEqual(Array.from({ length: 63 }, (_, i) => i));
  expect(worker.inFlight).toBe(0);
  await replicas.destroy();
});

it("gives up requests on a replica that gives no sign of life, and takes it back when it does", async () => {
  let alive = true;
  const replicas = new EngineReplicas([{ url: "a" }], () => backend(() => alive).standIn);
  const replica = await replicas.acquire(null, signal());
  const { lost } = replica;
  alive = false;
  for (let round = 0; round < 14; round++) await replicas.check();
  expect(lost.signal.aborted).toBe(false);
  await replicas.check();
  expect(lost.signal.aborted).toBe(true);
  expect(replica.healthy).toBe(false);
  alive = true;
  await replicas.check();
  expect(replica.healthy).toBe(true);
  expect(replica.lost.signal.aborted).toBe(false);
  await replicas.destroy();
});
