export interface GroupOutcome {
  mean: number | null;
  /** Sample standard deviation, as GRPO takes it; 0 for a single reward. */
  std: number | null;
  solved: "none" | "part" | "all" | "unknown";
}

/** A reward of at least this is a solved task. */
const SOLVED = 1;
const ROUNDING = 1e-12;

/** Mean, spread and solved share of a group's rewards; a null is a rollout without one and is left out. */
export function groupOutcome(rewards: readonly (number | null)[]): GroupOutcome {
  const known = rewards.filter((reward) => reward !== null);
  if (known.length === 0) return { mean: null, std: null, solved: "unknown" };
  const mean = known.reduce((a, b) => a + b, 0) / known.length;
  const squares = known.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  const std = known.length < 2 ? 0 : Math.sqrt(squares / (known.length - 1));
  const solved = known.filter((reward) => reward >= SOLVED).length;
  // Equal rewards whose mean was rounded are still equal.
  return {
    mean,
    std: std < ROUNDING ? 0 : std,
    solved: solved === 0 ? "none" : solved === known.length ? "all" : "part",
  };
}

const STD_FLOOR = 1e-6;

/** GRPO's advantage of one reward within its group; null without a reward. */
export function groupAdvantage(
  reward: number | null,
  outcome: GroupOutcome,
  divideByStd: boolean,
): number | null {
  if (reward === null || outcome.mean === null || outcome.std === null) return null;
  const centred = reward - outcome.mean;
  return divideByStd ? centred / (outcome.std + STD_FLOOR) : centred;
}
