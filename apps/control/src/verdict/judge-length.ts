import { advise, firstBound, levelAbove, number } from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS, WINDOW } from "#verdict/evidence.ts";
import { judgeShare } from "#verdict/judge-failures.ts";
import { seriesOf, valuesOf } from "#verdict/samples.ts";
import { mean, median } from "#verdict/statistics.ts";

/** Answers that are cut, and answers that grow while the reward does not. */
export const judgeLength: Judge = (evidence) => [
  ...judgeShare(evidence, "truncated", (share, usual) => ({
    name: "truncated",
    title: "Answers are cut at their length",
    detail: `${share} of the last steps' answers reached the cap; ${usual} is the most that is normal. The cap of a turn is usually the one that binds: raise it, or find what makes answers long.`,
    link: { label: "Rollouts", filter: "mode = train and truncated = true" },
  })),
  ...judgeGrowth(evidence),
];

const judgeGrowth: Judge = (evidence) => {
  const { key, samples } = seriesOf(evidence, "response_length/mean");
  const recent = samples.slice(-WINDOW);
  if (recent.length < WINDOW / 2) return [];
  const before = median(valuesOf(recent.slice(0, Math.floor(recent.length / 2))));
  const now = mean(valuesOf(recent.slice(-LEVEL_STEPS)));
  const level = levelAbove(evidence.thresholds["length-growth"], now / before);
  const reward = valuesOf(seriesOf(evidence, "reward/mean").samples.slice(-WINDOW));
  const gained = mean(reward.slice(-LEVEL_STEPS)) - mean(reward.slice(0, LEVEL_STEPS));
  // Longer answers that earn more are what thinking looks like.
  if (level === null || gained > firstBound(evidence.thresholds["reward-fall"])) return [];
  const edge = before * firstBound(evidence.thresholds["length-growth"]);
  return [
    advise({
      id: "length-explosion",
      level,
      title: "Answers grow and earn nothing",
      detail: `Mean length went from ${number(before)} to ${number(now)} tokens within ${recent.length} steps while the reward did not rise. Read a long one: repetition and nonsense come with entropy.`,
      key,
      since: recent.find(({ value }) => value > edge) ?? null,
    }),
  ];
};
