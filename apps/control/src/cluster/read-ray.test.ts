import { afterEach, beforeEach, expect, test } from "vitest";
import { readRay } from "#cluster/read-ray.ts";
import { buildRayClient } from "#ray/ray-client.ts";
import { RayStandIn } from "#testing/ray-stand-in.ts";

const NODES = "/nodes?view=summary";
const state = (of: string) => `/api/v0/${of}?detail=true&limit=10000&timeout=10`;
const dashboard = (data: unknown) => ({ result: true, msg: "", data });
const listOf = (result: unknown[], partial_failure_warning = "") =>
  dashboard({ result: { total: result.length, result, partial_failure_warning } });
const read = () => readRay(buildRayClient({ address: head.address, tokenPath: null }));

let head: RayStandIn;
beforeEach(async () => {
  head = await new RayStandIn().start();
  head.answers.set(NODES, dashboard({ summary: [] }));
  head.answers.set(state("actors"), listOf([]));
  head.answers.set(state("placement_groups"), listOf([]));
});
afterEach(() => head.stop());

test("the head goes first, a dead node keeps Ray's words, numbers that are not told are null", async () => {
  const raylet = {
    nodeId: "b",
    state: "DEAD",
    stateMessage: "Expected termination",
    isHeadNode: false,
  };
  const gpu = {
    index: 0,
    name: "NVIDIA H200",
    utilizationGpu: 93,
    memoryUsed: 1024,
    memoryTotal: 143771,
  };
  const headNode = {
    ...{ hostname: "gpu-0", ip: "10.0.0.1", cpu: 12.5, mem: [100, 60, 40, 40], gpus: [gpu] },
    raylet: {
      ...{ nodeId: "a", state: "ALIVE", isHeadNode: true },
      ...{ objectStoreUsedMemory: 3, objectStoreAvailableMemory: 7 },
    },
  };
  head.answers.set(NODES, dashboard({ summary: [{ hostname: "gpu-1", raylet }, headNode] }));
  const { nodes, isOpen, version, warning } = await read();
  expect({ isOpen, version, warning }).toEqual({ isOpen: true, version: "2.60.0", warning: null });
  expect(nodes).toEqual([
    {
      ...{
        id: "a",
        host: "gpu-0 · 10.0.0.1",
        isHead: true,
        isAlive: true,
        message: null,
        cpu: 12.5,
      },
      ...{ memoryUsed: 40, memoryTotal: 100, objectStoreUsed: 3, objectStoreTotal: 10 },
      gpus: [
        { index: 0, name: "NVIDIA H200", utilisation: 93, memoryUsed: 1024, memoryTotal: 143771 },
      ],
    },
    {
      ...{ id: "b", host: "gpu-1", isHead: false, isAlive: false, message: "Expected termination" },
      ...{ cpu: null, memoryUsed: null, memoryTotal: null },
      ...{ objectStoreUsed: null, objectStoreTotal: null, gpus: [] },
    },
  ]);
});

test("an actor says why it died, a placement group what it waits for", async () => {
  const death_cause = { actor_died_error_context: { error_message: "worker died: SYSTEM_ERROR" } };
  const dead = {
    actor_id: "x",
    class_name: "WorkerDict",
    state: "DEAD",
    num_restarts: "2",
    death_cause,
  };
  head.answers.set(state("actors"), listOf([dead], "1 node did not answer."));
  const bundles = [{ unit_resources: { GPU: 8, CPU: 16 } }];
  const of = { bundles, stats: { scheduling_state: "NO_RESOURCES" } };
  head.answers.set(
    state("placement_groups"),
    listOf([
      { placement_group_id: "p", state: "PENDING", ...of },
      { placement_group_id: "q", state: "CREATED", ...of },
    ]),
  );
  const { actors, groups, warning } = await read();
  expect(actors).toMatchObject([{ restarts: 2, death: "worker died: SYSTEM_ERROR", pid: null }]);
  expect(groups).toMatchObject([
    { waitsFor: "NO_RESOURCES", bundles: ["8 GPU, 16 CPU"] },
    { waitsFor: null },
  ]);
  expect(warning).toBe("1 node did not answer.");
});

test("what one question does not tell is said, and the rest is there", async () => {
  head.answers.set(NODES, { result: false, msg: "the GCS is busy", data: {} });
  const actor = { actor_id: "x", class_name: "TaskRunner", state: "ALIVE" };
  head.answers.set(state("actors"), listOf([actor]));
  const { nodes, actors, warning } = await read();
  expect(nodes).toEqual([]);
  expect(actors).toHaveLength(1);
  expect(warning).toContain("the GCS is busy");
});

test("a token makes it closed; a head that is away is an error", async () => {
  head.token = "t";
  await expect(read()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  await head.stop();
  await expect(read()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await head.start();
});
