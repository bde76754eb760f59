import type { RolloutError } from "@liverl/contract/rollout";
import { TrialError } from "#trials/trial-error.ts";

/** Ends of a sandbox that what ran in it has brought about, by what Docker or the pod itself says. */
const OWN_ENDS = new Set([
  "SandboxEndedError",
  "SandboxOutOfMemoryError",
  "SandboxStorageExceededError",
]);
/** The same, where it was the agent's and its work can not be verified any more. */
const ENDED_BY_AGENT = "SandboxEndedByAgentError";

/** Whether a sandbox was ended by what ran in it. */
export const hasEndedItself = (error: unknown): error is TrialError =>
  error instanceof TrialError && OWN_ENDS.has(error.exceptionType);

/**
 * Harbor's own list, as far as these end a trial here, an agent that reached for the tests, and what the agent or its work
 * may have ended: a repeat is no remedy, and a policy would learn to get a second chance.
 */
const NEVER_RETRIED = new Set([
  "VerifierTimeoutError",
  "VerifierKilledError",
  "VerifierOutOfMemoryError",
  "RewardFileNotFoundError",
  "RewardFileEmptyError",
  "VerifierOutputParseError",
  "AgentAuthenticationError",
  "VerifierTamperedError",
  ENDED_BY_AGENT,
  ...OWN_ENDS,
]);

/** Whether an attempt that failed with this type of error is the trial's last. */
export const isNeverRetried = (exceptionType: string) => NEVER_RETRIED.has(exceptionType);

/** How an attempt ended that has no reward for this. */
export const endingOf = ({ exception_type }: RolloutError): "agent-error" | "infra-error" =>
  exception_type === ENDED_BY_AGENT ? "agent-error" : "infra-error";

/** The agent has ended its sandbox for good: nothing is left that tests could look at. */
export const endedByAgent = (end: TrialError): TrialError =>
  new TrialError(
    ENDED_BY_AGENT,
    `While the agent had its sandbox, that ended, so its work can not be verified. ${end.userMessage}`,
    end,
  );
