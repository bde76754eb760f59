/**
 * Generalised advantage estimation (arXiv 1506.02438) over the sampled tokens of one sequence, as verl's
 * `compute_gae_advantage_return`: what tools answered in between is no step, and the reward comes with the last token.
 * `values[k]` is the expected return before token k is sampled. Returns are advantage plus value.
 */
export function generalisedAdvantages(
  values: readonly number[],
  reward: number,
  { gamma, lam }: { gamma: number; lam: number },
): { advantages: number[]; returns: number[] } {
  const advantages = new Array<number>(values.length).fill(0);
  let next = 0;
  let advantage = 0;
  for (let k = values.length - 1; k >= 0; k--) {
    const earned = k === values.length - 1 ? reward : 0;
    advantage = earned + gamma * next - values[k] + gamma * lam * advantage;
    advantages[k] = advantage;
    next = values[k];
  }
  return { advantages, returns: advantages.map((each, k) => each + values[k]) };
}

/** To mean 0 and variance 1 over all tokens of all lists, as verl whitens the advantages of `gae`. */
export function whiten(lists: readonly (readonly number[])[]): number[][] {
  const all = lists.flat();
  const mean = all.reduce((a, b) => a + b, 0) / all.length;
  const variance =
    all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, all.length - 1);
  const scale = 1 / Math.sqrt(variance + 1e-8);
  return lists.map((list) => list.map((value) => (value - mean) * scale));
}
