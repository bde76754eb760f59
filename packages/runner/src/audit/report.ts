export interface Violation {
  /** `<session>#<call>`; the engine's request id where no call claims it. */
  callId: string;
  kind:
    | "missing-record"
    | "repeated-record"
    | "claimed-twice"
    | "unclaimed-record"
    | "prompt-ids"
    | "sampled-ids"
    | "versions"
    | "logprobs"
    | "recomputed-logprobs"
    | "recomputed-turns"
    | "unreadable"
    | "unfinished";
  detail: string;
}

export interface AuditReport {
  /** Finished calls that were looked at. */
  calls: number;
  exactCalls: number;
  /** Sampled tokens of those calls. */
  tokens: number;
  /** Tokens that train by recomputed log-probs: no call sampled them. */
  recomputedTokens: number;
  /** Largest difference of a recomputed log-prob, in nats. */
  maxLogprobDiff: number;
  violations: Violation[];
}

export const LOGPROB_TOLERANCE = 1e-4;
const MAX_LISTED = 1_000;

/** Gathers what the audit finds; a call is exact when it has no violation of its own. */
export class AuditTally {
  readonly #violations: Violation[] = [];
  readonly #faulty = new Set<string>();
  #listed = 0;
  calls = 0;
  tokens = 0;
  recomputedTokens = 0;
  maxLogprobDiff = 0;

  fault(violation: Violation): void {
    this.#faulty.add(violation.callId);
    this.#listed++;
    if (this.#violations.length < MAX_LISTED) this.#violations.push(violation);
  }

  /** `isClean`: whether nothing at all was found, also beside the calls. */
  finish(): { report: AuditReport; isClean: boolean } {
    const { calls, tokens, recomputedTokens, maxLogprobDiff } = this;
    const exactCalls = calls - [...this.#faulty].filter((callId) => callId.includes("#")).length;
    const isClean = calls > 0 && this.#listed === 0;
    return {
      report: {
        ...{ calls, exactCalls, tokens, recomputedTokens, maxLogprobDiff },
        violations: this.#violations,
      },
      isClean,
    };
  }
}
