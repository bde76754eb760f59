/** What one client in one scenario came to. */
export interface Row {
  client: string;
  scenario: string;
  outcome: "ok" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  reasons: string[];
  /** Model calls on record, and engine requests that gave tokens. */
  calls: number;
  requests: number;
  exact: number;
  tokens: number;
  /** Share of sampled turns that differ from the tokenizer's own encoding of the same text. */
  nonCanonical: number;
  /** Prompts of the main line that do not go on from the one before, by the engine's log alone. */
  breaks: number;
  compactions: number;
  /** Forks that the proxy recorded, by reason. */
  forks: Record<string, number>;
  /** Calls whose recorded kind is not what the engine took them for. */
  ofOtherKind: number;
  wallS: number;
}

/** A row that came to nothing, and why. */
export const emptyRow = (
  client: string,
  scenario: string,
  outcome: "failed" | "skipped",
  why: string,
): Row => ({
  client,
  scenario,
  outcome,
  reasons: [why],
  calls: 0,
  requests: 0,
  exact: 0,
  tokens: 0,
  nonCanonical: 0,
  breaks: 0,
  compactions: 0,
  forks: {},
  ofOtherKind: 0,
  wallS: 0,
});
