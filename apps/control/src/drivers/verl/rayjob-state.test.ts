import { describe, expect, test } from "vitest";
import { stateOfRayJob } from "#drivers/verl/rayjob-state.ts";

const stateOf = (jobDeploymentStatus: string, jobStatus = "", reason = "", message = "") =>
  stateOfRayJob({ status: { jobDeploymentStatus, jobStatus, reason, message } });

test.each([
  ["", "", "waiting", /operator running/],
  ["Initializing", "", "waiting", /cluster starts/],
  ["Waiting", "", "waiting", /submit/],
  ["Suspending", "", "waiting", /taken down/],
  ["Suspended", "", "waiting", /Kueue/],
  ["Retrying", "FAILED", "waiting", /new cluster/],
  ["Running", "", "waiting", /being submitted/],
  ["Running", "PENDING", "waiting", /being submitted/],
])("%s with %s waits and says for what", (deployment, job, kind, detail) => {
  expect(stateOf(deployment, job)).toEqual({ kind, detail: expect.stringMatching(detail) });
});

// Its log is whole only when the submitter has ended, which KubeRay tells by the deployment's status.
test.each(["RUNNING", "SUCCEEDED", "FAILED", "STOPPED"])("Running with %s still runs", (job) => {
  expect(stateOf("Running", job)).toEqual({ kind: "running" });
});

test("an end without a fault has code 0, and only that", () => {
  expect(stateOf("Complete", "SUCCEEDED")).toEqual({ kind: "ended", code: 0, detail: null });
  expect(stateOf("Complete", "STOPPED")).toMatchObject({ kind: "ended", code: null });
  expect(stateOf("Failed", "SUCCEEDED", "DeadlineExceeded")).toMatchObject({ code: null });
});

describe("why it failed", () => {
  test("verl's own code comes out of Ray's message", () => {
    const message = "Job entrypoint command failed with exit code 137, last available logs:\nline";
    expect(stateOf("Failed", "FAILED", "AppFailed", message)).toEqual({
      kind: "ended",
      code: 137,
      detail: "verl failed: Job entrypoint command failed with exit code 137, last available logs:",
    });
  });

  test.each([
    ["SubmissionFailed", /could not submit/],
    ["DeadlineExceeded", /activeDeadlineSeconds/],
    ["PreRunningDeadlineExceeded", /pre_running_deadline_s/],
    ["AppFailed", /verl failed/],
    ["JobDeploymentStatusTransitionGracePeriodExceeded", /submitter did not end/],
    ["JobStatusCheckTimeoutExceeded", /Ray head/],
    ["SomethingNew", /SomethingNew/],
    ["", /gives no reason/],
  ])("%s", (reason, detail) => {
    expect(stateOf("Failed", "FAILED", reason)).toEqual({
      kind: "ended",
      code: null,
      detail: expect.stringMatching(detail),
    });
  });

  test("a submitter's code is not verl's", () => {
    const message = "Job submission has failed. Reason: BackoffLimitExceeded. exit code 1";
    expect(stateOf("Failed", "RUNNING", "SubmissionFailed", message)).toMatchObject({ code: null });
  });

  test("a refused spec ends with KubeRay's words", () => {
    expect(stateOf("ValidationFailed", "", "ValidationFailed", "name too long")).toEqual({
      kind: "ended",
      code: null,
      detail: "KubeRay refuses the RayJob: name too long",
    });
    expect(stateOf("ValidationFailed")).toMatchObject({ detail: expect.stringMatching(/refuses/) });
  });
});

test("from a word that is not known nothing follows", () => {
  expect(stateOf("Paused", "RUNNING")).toEqual({
    kind: "unknown",
    detail: expect.stringMatching(/Paused/),
  });
});
