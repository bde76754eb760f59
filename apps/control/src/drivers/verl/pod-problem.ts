import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import { LABELS } from "#kube/rayjob-manifest.ts";

/** Why a container waits that no time cures (kubelet's reasons). */
const STUCK = new Set([
  ...["ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"],
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError"],
  "CrashLoopBackOff",
]);
const LONGEST = 240;

/** What keeps a launch's pods from running, or ended one, in words; null where nothing does. The worst first. Pure. */
export function podProblem(pods: readonly V1Pod[]): string | null {
  const found = pods.flatMap((pod) => {
    const problem = problemOf(pod);
    return problem === null ? [] : [problem];
  });
  const worst = found.sort((a, b) => a.rank - b.rank)[0];
  if (!worst) return null;
  const others = found.filter(({ text }) => text === worst.text).length - 1;
  return `${worst.text}${others > 0 ? ` (and ${others} more like it)` : ""}`;
}

/** The same of pods that were lost while they worked, which is a reason for an end. Pure. */
export function podLoss(pods: readonly V1Pod[]): string | null {
  for (const pod of pods)
    for (const { lastState, state } of statusesOf(pod)) {
      const ended = state?.terminated ?? lastState?.terminated;
      if (ended?.reason === "OOMKilled") return oomKilled(pod);
    }
  const evicted = pods.find(({ status }) => status?.reason === "Evicted");
  return evicted ? `${roleOf(evicted)}: evicted: ${evicted.status?.message ?? ""}`.trim() : null;
}

function problemOf(pod: V1Pod): { rank: number; text: string } | null {
  const role = roleOf(pod);
  const loss = podLoss([pod]);
  if (loss !== null) return { rank: 0, text: loss };
  for (const { state } of statusesOf(pod)) {
    const { reason = "", message = "" } = state?.waiting ?? {};
    if (STUCK.has(reason))
      return { rank: 1, text: `${role}: ${reason}${message && `: ${message}`}`.slice(0, LONGEST) };
  }
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False")
    return {
      rank: 2,
      text: `${role}: ${scheduled.reason ?? "Unschedulable"}: ${scheduled.message ?? ""}`.slice(
        0,
        LONGEST,
      ),
    };
  return null;
}

const statusesOf = ({ status }: V1Pod): V1ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

const oomKilled = (pod: V1Pod) =>
  `${roleOf(pod)}: OOMKilled: the container took more memory than its limit; raise target.${
    pod.metadata?.labels?.[LABELS.role] === "head" ? "head_memory_gb" : "worker_memory_gb"
  }`;

const roleOf = ({ metadata }: V1Pod) => `${metadata?.labels?.[LABELS.role] ?? "a"} pod`;
