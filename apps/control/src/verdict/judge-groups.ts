import { COMPUTED_KEYS } from "@liverl/contract/metric";
import { advise, levelAbove, percent } from "#verdict/advise.ts";
import { type Judge, LEVEL_STEPS } from "#verdict/evidence.ts";
import { beginOf, newestStreak, samplesOf, valuesOf } from "#verdict/samples.ts";
import { mean } from "#verdict/statistics.ts";

const RECENT = 5;

/** Groups whose rollouts all got the same reward have no advantage, and teach nothing. */
export const judgeGroups: Judge = (evidence) => {
  const key = COMPUTED_KEYS.zeroStd;
  const samples = samplesOf(evidence, key);
  const recent = samples.slice(-RECENT);
  const equal = mean(valuesOf(recent));
  const bounds = evidence.thresholds["zero-std"];
  const level = recent.length < LEVEL_STEPS ? null : levelAbove(bounds, equal);
  if (level === null) return [];
  const recentMean = (of: string) => mean(valuesOf(samplesOf(evidence, of).slice(-RECENT)));
  const none = recentMean(COMPUTED_KEYS.groupsNone);
  const all = recentMean(COMPUTED_KEYS.groupsAll);
  const at = samples.at(-1);
  // Everything solved is the end of the task, not a fault.
  if (all > none)
    return [
      advise({
        id: "groups-solved",
        level: "ok",
        tier: "advice",
        title: "Most groups are solved",
        detail: `${percent(equal)} of groups have equal rewards because all their rollouts solve the task: little is left to learn here. Stop, or take harder tasks.`,
        ...{ key, at },
      }),
    ];
  if (evidence.equalTrains) return [];
  const streak = newestStreak(samples, (value) => levelAbove(bounds, value) !== null);
  return [
    advise({
      id: "zero-std-groups",
      level,
      title: "Most groups teach nothing",
      detail: `${percent(equal)} of groups have equal rewards, so their advantage is zero; ${percent(none)} solve none: look for timeouts and truncation before blaming the tasks.`,
      ...{ key, at },
      since: beginOf(streak, samples),
    }),
  ];
};
