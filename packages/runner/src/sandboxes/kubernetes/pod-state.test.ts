import type { V1ContainerState, V1Pod, V1PodStatus } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { endFault, stageOf, startFault, waitsFor } from "#sandboxes/kubernetes/pod-state.ts";

const LONG = 60_000;
const pod = (status: V1PodStatus, nodeName: string | undefined = "node"): V1Pod => ({
  metadata: { name: "p" },
  spec: { containers: [], initContainers: [{ name: "probe" }], nodeName },
  status,
});
const container = (state: V1ContainerState, name = "main") => ({
  ...{ name, state, image: "image", imageID: "", ready: false, restartCount: 0 },
});
const waiting = (reason: string) =>
  pod({ containerStatuses: [container({ waiting: { reason, message: "because" } })] });
const ended = (reason: string) =>
  pod({ containerStatuses: [container({ terminated: { exitCode: 137, reason } })] });

it("tells how far a pod has come, and what it waits for", () => {
  const condition = {
    type: "PodScheduled",
    status: "False",
    message: "0/1 nodes: Insufficient cpu",
  };
  const unscheduled: V1Pod = { ...pod({ conditions: [condition] }), spec: { containers: [] } };
  expect(stageOf(unscheduled)).toBe("pending");
  expect(waitsFor(unscheduled)).toContain("Insufficient cpu");
  expect(stageOf(waiting("ImagePullBackOff"))).toBe("pulling");
  expect(stageOf(waiting("PodInitializing"))).toBe("creating");
  expect(stageOf(pod({ containerStatuses: [container({ running: {} })] }))).toBe("running");
});

it("ends a start at once only where waiting is no remedy", () => {
  const faultOf = (reason: string, ageMs: number) =>
    startFault(waiting(reason), ageMs)?.exceptionType ?? null;
  expect(faultOf("ErrImageNeverPull", 0)).toBe("SandboxBuildFailedError");
  expect(faultOf("ImagePullBackOff", 0)).toBeNull();
  expect(faultOf("ImagePullBackOff", LONG)).toBe("SandboxBuildFailedError");
  expect(faultOf("CreateContainerConfigError", 0)).toBe("SandboxError");
  expect(faultOf("ContainerCreating", LONG)).toBeNull();
  const probe = container({ terminated: { exitCode: 1, message: "exec format error" } }, "probe");
  expect(startFault(pod({ initContainerStatuses: [probe] }), 0)?.userMessage).toContain(
    "exec format error",
  );
});

it("tells apart why a pod has ended", () => {
  const typeOf = (given: V1Pod | null) => endFault(given)?.exceptionType ?? null;
  expect(typeOf(null)).toBe("SandboxLostError");
  expect(typeOf(pod({ phase: "Failed", reason: "Evicted" }))).toBe("SandboxEvictedError");
  expect(typeOf(pod({ phase: "Failed", reason: "DeadlineExceeded" }))).toBe("SandboxLostError");
  expect(typeOf(pod({ phase: "Running", reason: "NodeLost" }))).toBe("SandboxLostError");
  expect(typeOf(ended("OOMKilled"))).toBe("SandboxOutOfMemoryError");
  const evicted = (message: string) => typeOf(pod({ phase: "Failed", reason: "Evicted", message }));
  expect(evicted("The node was low on resource: ephemeral-storage.")).toBe("SandboxEvictedError");
  for (const message of [
    'Container main exceeded its local ephemeral storage limit "70Mi".',
    "Pod ephemeral local storage usage exceeds the total limit of containers 80Mi.",
  ])
    expect(evicted(message)).toBe("SandboxStorageExceededError");
  expect(typeOf(pod({ containerStatuses: [container({ running: {} })] }))).toBeNull();
});

it("tells an end by what ran in a pod from one by its node or cluster", () => {
  const typeOf = (given: V1Pod) => endFault(given)?.exceptionType ?? null;
  expect(typeOf(ended("Error"))).toBe("SandboxEndedError");
  expect(typeOf(ended("Completed"))).toBe("SandboxEndedError");
  expect(typeOf(ended("ContainerStatusUnknown"))).toBe("SandboxLostError");
  const { status = {} } = ended("Error");
  const preempted = { type: "DisruptionTarget", status: "True" };
  expect(typeOf(pod({ ...status, conditions: [preempted] }))).toBe("SandboxLostError");
  expect(typeOf(pod({ ...status, reason: "NodeShutdown" }))).toBe("SandboxLostError");
  const deleted = { ...ended("Error"), metadata: { name: "p", deletionTimestamp: new Date() } };
  expect(typeOf(deleted)).toBe("SandboxLostError");
});
