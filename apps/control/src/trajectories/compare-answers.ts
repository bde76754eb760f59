export interface JudgedAnswer {
  rolloutId: string;
  taskId: string;
  answer: string;
  reward: number;
}

export interface Contradictions {
  /** Of answers that the same task was given before, the share whose reward is another now, 0 to 1; null where too few came again. */
  share: number | null;
  /** Rollouts of those whose reward is another, in order. */
  rolloutIds: string[];
}

/** Rewards that are further apart are not the same. */
const APART = 0.5;
/** With fewer answers that came again, one flaky test is the whole share. */
const LEAST = 3;

export const isContradicted = (reward: number, earlier: number) =>
  Math.abs(reward - earlier) >= APART;

/** An answer that was already judged in two ways is left out, as its tests are flaky. Pure. */
export function compareAnswers(
  now: readonly JudgedAnswer[],
  before: readonly JudgedAnswer[],
): Contradictions {
  const keyOf = ({ taskId, answer }: JudgedAnswer) => `${taskId}\0${answer}`;
  const rewards = new Map<string, number[]>();
  for (const one of before)
    rewards.set(keyOf(one), [...(rewards.get(keyOf(one)) ?? []), one.reward]);
  const judged = now.flatMap((one) => {
    const earlier = rewards.get(keyOf(one));
    if (!earlier || isContradicted(Math.max(...earlier), Math.min(...earlier))) return [];
    return [{ one, isOther: isContradicted(one.reward, earlier[0] ?? one.reward) }];
  });
  const other = judged.filter(({ isOther }) => isOther);
  return {
    share: judged.length < LEAST ? null : other.length / judged.length,
    rolloutIds: other.map(({ one }) => one.rolloutId),
  };
}
