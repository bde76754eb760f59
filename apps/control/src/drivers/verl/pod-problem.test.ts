import type { V1ContainerState, V1Pod } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { podLoss, podProblem } from "#drivers/verl/pod-problem.ts";
import { LABELS } from "#kube/rayjob-manifest.ts";

const pod = (role: string, state: V1ContainerState, more: V1Pod["status"] = {}): V1Pod => ({
  metadata: { labels: { [LABELS.role]: role } },
  status: {
    containerStatuses: [
      { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state },
    ],
    ...more,
  },
});
const unschedulable: V1Pod = {
  metadata: { labels: { [LABELS.role]: "trainer" } },
  status: {
    conditions: [
      {
        ...{ type: "PodScheduled", status: "False", reason: "Unschedulable" },
        message: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
      },
    ],
  },
};

test("what keeps pods from running is told, the worst first", () => {
  const pulling = pod("head", { waiting: { reason: "ImagePullBackOff", message: "no such tag" } });
  expect(podProblem([unschedulable, unschedulable])).toBe(
    "trainer pod: Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu. (and 1 more like it)",
  );
  expect(podProblem([unschedulable, pulling])).toBe("head pod: ImagePullBackOff: no such tag");
});

test("what time cures, and what runs, is no problem", () => {
  expect(podProblem([])).toBeNull();
  expect(podProblem([pod("head", { waiting: { reason: "ContainerCreating" } })])).toBeNull();
  expect(podProblem([pod("head", { running: {} })])).toBeNull();
  expect(podLoss([pod("head", { terminated: { exitCode: 1, reason: "Error" } })])).toBeNull();
});

test("a pod that was lost says how, and what to raise", () => {
  const killed = { terminated: { exitCode: 137, reason: "OOMKilled" } };
  expect(podLoss([pod("trainer", killed)])).toMatch(/^trainer pod: OOMKilled: .*worker_memory_gb$/);
  expect(podLoss([pod("head", killed)])).toMatch(/head_memory_gb$/);
  // It was started again meanwhile.
  const again = pod("rollout", { running: {} });
  const [status] = again.status?.containerStatuses ?? [];
  if (status) status.lastState = killed;
  expect(podLoss([again])).toMatch(/^rollout pod: OOMKilled/);
  const evicted = pod("trainer", {}, { reason: "Evicted", message: "The node was low on memory." });
  expect(podLoss([evicted])).toBe("trainer pod: evicted: The node was low on memory.");
});
