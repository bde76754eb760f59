import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import { TrialError } from "#trials/trial-error.ts";

/** How far a pod has come. */
export type PodStage = "pending" | "pulling" | "creating" | "running";

/** What ends a start at once: it does not get better by waiting. */
const HOPELESS_PULLS = new Set(["ErrImageNeverPull", "InvalidImageName", "ImageInspectError"]);
const FAILED_PULLS = new Set(["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable"]);
const FAILED_CONTAINERS = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);
/** How a kubelet words an end that what ran in the container brought about; others are the node's. */
const OWN_ENDS = new Set(["Error", "Completed"]);
/** Of an eviction for what the pod itself has written, as against a node that is full. */
const OWN_STORAGE =
  /ephemeral (local )?storage usage exceeds|exceeded its local ephemeral storage|usage of emptydir/i;
/** Tries of a pull that the kubelet has to itself: a registry may be away for a moment. */
const PULL_PATIENCE_MS = 20_000;

export function stageOf(pod: V1Pod): PodStage {
  const statuses = statusesOf(pod);
  if (!isScheduled(pod)) return "pending";
  if (statuses.length > 0 && pod.status?.containerStatuses?.every(({ state }) => state?.running))
    return "running";
  return statuses.some(({ state }) => isPull(state?.waiting?.reason)) ? "pulling" : "creating";
}

/** Why a pod that is being started never will; null while it may. */
export function startFault(pod: V1Pod, ageMs: number): TrialError | null {
  for (const { state, name, image } of statusesOf(pod)) {
    const { reason = "", message = "" } = state?.waiting ?? {};
    if (HOPELESS_PULLS.has(reason) || (FAILED_PULLS.has(reason) && ageMs > PULL_PATIENCE_MS))
      return new TrialError(
        "SandboxBuildFailedError",
        `The image ${image} can not be had on the node (${reason}): ${message}`,
      );
    if (FAILED_CONTAINERS.has(reason))
      return new TrialError("SandboxError", `The container ${name} can not start: ${message}`);
    const code = state?.terminated?.exitCode ?? 0;
    if (code !== 0 && isInit(pod, name))
      return new TrialError(
        "SandboxError",
        `The container ${name} of the image ${image} ended with ${code}: ${state?.terminated?.message ?? state?.terminated?.reason ?? ""}`,
      );
  }
  return endFault(pod);
}

/** Why a pod that ran does not any more; null while it does. */
export function endFault(pod: V1Pod | null): TrialError | null {
  if (!pod) return lost("The sandbox was removed by something outside");
  const name = pod.metadata?.name ?? "";
  const { reason, message = "", containerStatuses = [], phase } = pod.status ?? {};
  if (reason === "Evicted")
    return new TrialError(
      OWN_STORAGE.test(message) ? "SandboxStorageExceededError" : "SandboxEvictedError",
      `The node evicted the sandbox ${name}: ${message}`,
    );
  if (reason === "DeadlineExceeded") return lost(`The sandbox ${name} was over its time`);
  if (reason === "NodeLost" || reason === "NodeAffinity" || phase === "Unknown")
    return lost(`The node of the sandbox ${name} is lost`);
  const ended = containerStatuses.find(({ state }) => state?.terminated)?.state?.terminated;
  if (ended?.reason === "OOMKilled")
    return new TrialError(
      "SandboxOutOfMemoryError",
      "The sandbox ran out of memory and has ended.",
    );
  if (pod.metadata?.deletionTimestamp) return lost(`The sandbox ${name} is being removed`);
  if (ended && isOwnEnd(pod, ended.reason))
    return new TrialError(
      "SandboxEndedError",
      `The sandbox ${name} was ended by a process in it: a container of its pod ended with ${ended.exitCode}, and nobody asked the cluster for that.`,
    );
  if (ended || phase === "Failed" || phase === "Succeeded")
    return lost(`The sandbox ${name} has ended (${ended?.reason ?? reason ?? phase})`);
  return null;
}

/** What the start waits for, in words. */
export function waitsFor(pod: V1Pod | null): string {
  if (!pod) return "nothing is known of its pod";
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === "PodScheduled" && status !== "True",
  );
  if (unscheduled) return `no node takes it: ${unscheduled.message ?? unscheduled.reason}`;
  const waiting = statusesOf(pod).find(({ state }) => state?.waiting)?.state?.waiting;
  return waiting ? `${waiting.reason}: ${waiting.message ?? ""}`.trim() : "its containers start";
}

const statusesOf = ({ status }: V1Pod): V1ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];
/** A pod that the cluster ends for reasons of its own has one of these conditions or a reason. */
const isOwnEnd = ({ status }: V1Pod, ended = "") =>
  OWN_ENDS.has(ended) &&
  !status?.reason &&
  !status?.conditions?.some(({ type, status }) => type === "DisruptionTarget" && status === "True");
const isScheduled = ({ spec }: V1Pod) => Boolean(spec?.nodeName);
const isPull = (reason = "") => FAILED_PULLS.has(reason) || HOPELESS_PULLS.has(reason);
const isInit = ({ spec }: V1Pod, container: string) =>
  Boolean(spec?.initContainers?.some(({ name }) => name === container));
const lost = (text: string) => new TrialError("SandboxLostError", `${text}.`);
