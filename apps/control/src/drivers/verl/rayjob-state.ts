import type { JobState } from "#drivers/verl/job-state.ts";
import type { RayJobObject } from "#kube/rayjob.ts";

/** KubeRay's `reason` of a failed RayJob, in words that say what to do (rayjob_types.go, KubeRay 1.7). */
const REASONS: Readonly<Record<string, string>> = {
  SubmissionFailed: "KubeRay could not submit the job to its Ray cluster",
  DeadlineExceeded: "the RayJob was active longer than its activeDeadlineSeconds",
  PreRunningDeadlineExceeded:
    "its pods did not start in time: see what they wait for, or raise target.pre_running_deadline_s",
  AppFailed: "verl failed",
  JobDeploymentStatusTransitionGracePeriodExceeded:
    "the job had ended on Ray, but its submitter did not end",
  JobStatusCheckTimeoutExceeded:
    "KubeRay could not ask the job's Ray head any more: its pod was lost or hangs",
  ValidationFailed: "KubeRay refuses the RayJob",
};
const EXIT_CODE = /exit code:? (-?\d+)/i;

/**
 * What KubeRay's two words say of a job: `jobDeploymentStatus` is the RayJob's own, `jobStatus` what Ray said last. A job
 * that has ended on Ray counts as ended once KubeRay has seen its submitter end, too: its log is whole then. Pure.
 */
export function stateOfRayJob({ status }: Pick<RayJobObject, "status">): JobState {
  const { jobStatus, jobDeploymentStatus, reason, message } = status;
  const wait = (detail: string): JobState => ({ kind: "waiting", detail });
  switch (jobDeploymentStatus) {
    case "":
      return wait("KubeRay has not taken up the RayJob yet: is its operator running?");
    case "Initializing":
      return wait("its Ray cluster starts");
    case "Waiting":
      return wait("KubeRay waits for somebody to submit the job");
    case "Suspending":
      return wait("it is being suspended: its cluster is taken down");
    case "Suspended":
      return wait("it is suspended: a queue (Kueue) or a person lets it start");
    case "Retrying":
      return wait("KubeRay tries again on a new cluster");
    case "Running":
      return jobStatus === "" || jobStatus === "PENDING"
        ? wait("its Ray cluster is up, the job is being submitted")
        : { kind: "running" };
    case "Complete":
    case "Failed":
    case "ValidationFailed":
      return { kind: "ended", ...endOf({ jobStatus, jobDeploymentStatus, reason, message }) };
    default:
      return {
        kind: "unknown",
        detail: `KubeRay calls the RayJob ${jobDeploymentStatus}, which this LiveRL does not know`,
      };
  }
}

function endOf({ jobStatus, jobDeploymentStatus, reason, message }: RayJobObject["status"]): {
  code: number | null;
  detail: string | null;
} {
  if (jobStatus === "SUCCEEDED" && jobDeploymentStatus === "Complete")
    return { code: 0, detail: null };
  if (jobStatus === "STOPPED") return { code: null, detail: "it was stopped on Ray" };
  const said = message.split("\n", 1)[0]?.trim() ?? "";
  const code = reason === "AppFailed" || reason === "" ? EXIT_CODE.exec(message)?.[1] : undefined;
  const why =
    REASONS[reason] ??
    (reason || (jobDeploymentStatus === "ValidationFailed" ? REASONS.ValidationFailed : null));
  return {
    code: code === undefined ? null : Number(code),
    detail: [why, said].filter(Boolean).join(": ") || "KubeRay gives no reason",
  };
}
