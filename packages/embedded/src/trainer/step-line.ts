/** What the trainer's log says of a step: few figures, rounded; `metrics.jsonl` has them all. What a step lacks is left out. */
export function stepLine(metrics: Readonly<Record<string, number>>): Record<string, number> {
  const said = {
    reward: [metrics["critic/rewards/mean"], 4],
    kl: [metrics["actor/ppo_kl"], 6],
    seconds: [metrics["timing_s/step"], 2],
  } as const;
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, [value, digits]]) =>
      value === undefined ? [] : [[name, Number(value.toFixed(digits))]],
    ),
  );
}
