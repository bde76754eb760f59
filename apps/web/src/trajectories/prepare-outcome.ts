import type { TrajectoryView } from "@liverl/contract/views";

export interface Outcome {
  tone: "ok" | "warn" | "bad" | "neutral";
  text: string;
}

/** What became of the attempt, in a few words. No reward is its own outcome, never a failure of the policy. */
export function prepareOutcome(view: Pick<TrajectoryView, "rollout" | "verifier">): Outcome {
  const { rollout, verifier } = view;
  if (rollout.status === "queued" || rollout.status === "running")
    return { tone: "neutral", text: rollout.status === "queued" ? "Queued" : "Running" };
  if (rollout.reward === null) {
    return {
      tone: "warn",
      text: rollout.error ? `No reward: ${rollout.error.exception_type}` : "No reward",
    };
  }
  if (rollout.reward >= 1) return { tone: "ok", text: "Solved" };
  if (
    verifier &&
    verifier.passed !== null &&
    verifier.total !== null &&
    verifier.passed < verifier.total
  ) {
    const failed = verifier.total - verifier.passed;
    return { tone: "bad", text: failed === 1 ? "1 test failed" : `${failed} tests failed` };
  }
  return {
    tone: "bad",
    text:
      verifier && verifier.outcome !== "failed" ? `Not solved: ${verifier.outcome}` : "Not solved",
  };
}
