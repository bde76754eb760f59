import { evaluationTasksKey } from "@liverl/contract/metric";
import { advise, levelAbove, number, plural } from "#verdict/advise.ts";
import {
  type Judge,
  LEVEL_STEPS,
  MIN_STEPS,
  type RunEvidence,
  SOLVED,
  WINDOW,
} from "#verdict/evidence.ts";
import {
  evaluationOf,
  findShift,
  type Sample,
  type Series,
  seriesOf,
  valuesOf,
} from "#verdict/samples.ts";
import { mean, median, robustSpread } from "#verdict/statistics.ts";

const USUAL_LEAST = 5;
/** A fall within this many robust deviations of the steps before is noise. */
const NOISE = 4;

/** What is said of the reward: a sudden drop by its step, else a slow fall, else that it does not rise. */
export const judgeReward: Judge = (evidence) => {
  const drop = judgeDrop(evidence);
  if (drop.length > 0) return drop;
  const fall = judgeFall(evidence);
  return fall.length > 0 ? fall : judgeFlat(evidence);
};

const judgeDrop: Judge = (evidence) => {
  const { key, samples } = seriesOf(evidence, "reward/mean");
  const bounds = evidence.thresholds["reward-drop"];
  const shift = findShift(samples, USUAL_LEAST, (value, usual) => {
    const fallen = levelOf(usual) - value;
    return fallen > NOISE * stepNoise(usual) && levelAbove(bounds, fallen) !== null;
  });
  const newest = samples.at(-1);
  // What was back long ago is history; a drop that lasts is told for as long as it does.
  const over = shift?.end ?? null;
  if (!shift || !newest || (over !== null && newest.step - over.step >= WINDOW)) return [];
  const before = levelOf(valuesOf(shift.before));
  const during = mean(valuesOf(shift.during));
  const lasting = levelAbove(bounds, before - during) ?? "warn";
  const { start } = shift;
  return [
    {
      ...advise({
        id: "reward-drop",
        level: over === null ? lasting : "warn",
        title: `Reward fell ${number(before)} → ${number(during)} at step ${start.step}${over === null ? "" : `, recovered by step ${over.step}`}`,
        detail: `The ${plural(Math.min(USUAL_LEAST, shift.before.length), "step")} before were at ${number(before)}, then it dropped within one. A policy forgets more slowly: look for what changed there.`,
        key,
        at: start,
        untilStep: over?.step ?? null,
      }),
      sinceStep: start.step,
    },
  ];
};

/** Where a reward that may be rising has come to. */
const levelOf = (values: readonly number[]) => median(values.slice(-USUAL_LEAST));

/** Noise of one step, taken from the changes between steps: a reward that rises has a spread that is no noise. */
function stepNoise(values: readonly number[]): number {
  const changes = values.slice(1).map((value, i) => value - (values[i] ?? value));
  return robustSpread(changes) / Math.SQRT2;
}

const judgeFall: Judge = (evidence) => {
  const { key, samples } = seriesOf(evidence, "reward/mean");
  const values = valuesOf(samples.slice(-WINDOW));
  if (values.length < MIN_STEPS) return [];
  const half = Math.floor(values.length / 2);
  const before = mean(values.slice(0, half));
  const after = mean(values.slice(half));
  const noise = 2 * Math.max(spreadOf(values.slice(0, half)), spreadOf(values.slice(half)));
  const level = levelAbove(evidence.thresholds["reward-fall"], before - after);
  if (level === null || before - after < noise) return [];
  return [
    advise({
      id: "reward-falls",
      level,
      title: "Reward is falling",
      detail: `Mean of the last ${values.length - half} steps is ${number(after)}, of the ${half} before ${number(before)}.`,
      key,
      at: samples.at(-1),
    }),
  ];
};

const spreadOf = (values: readonly number[]) =>
  median(values.map((value) => Math.abs(value - median(values))));

/** First and last third against each other: a rise that is lost in the spread of single steps is none. */
function judgeFlat(evidence: RunEvidence) {
  const { key, samples } = seriesOf(evidence, "reward/mean");
  if (samples.length < WINDOW) return [];
  const values = valuesOf(samples);
  const third = Math.floor(values.length / 3);
  const before = values.slice(0, third);
  const after = values.slice(-third);
  const noise = (2 * Math.max(spreadOf(before), spreadOf(after))) / Math.sqrt(third);
  if (mean(after) >= SOLVED || mean(after) - mean(before) > Math.max(noise, 0.01)) return [];
  return [
    advise({
      id: "reward-flat",
      level: "warn",
      title: "Reward does not rise",
      detail: `Mean of the last ${third} steps is ${number(mean(after))}, of the first ${third} ${number(mean(before))}. See whether groups have spread, and whether rollouts are cut.`,
      key,
      at: samples.at(-1),
    }),
  ];
}

/** Standard errors of a difference that chance alone seldom makes. */
const SIGMAS = 2;

export const judgeHeldOut: Judge = (evidence) => {
  const found = evaluationOf(evidence);
  const alike = found && alikeOf(evidence, found);
  const [first] = alike?.samples ?? [];
  const last = alike?.samples.at(-1);
  if (!alike || !first || !last || alike.samples.length < 3) return [];
  const fallen = first.value - last.value;
  const level = levelAbove(evidence.thresholds["held-out-fall"], fallen);
  const chance = SIGMAS * chanceOf(alike, first, last);
  if (level === null || fallen <= chance) return [];
  const gained = trainingGain(evidence, first, last);
  const isHack = gained > 0;
  const sure = `Chance alone moves it by ${number(chance)}${alike.tasks === null ? "" : ` on ${plural(alike.tasks, "task")}`}.`;
  return [
    advise({
      id: isHack ? "reward-hacking" : "held-out-falls",
      level: isHack ? "bad" : level,
      title: isHack
        ? "Training reward rises while held-out reward falls"
        : "Held-out reward is below where it began",
      detail: isHack
        ? `Training gained ${number(gained)} while held-out tasks went from ${number(first.value)} to ${number(last.value)}: the policy learns what the verifier accepts, not the task. Read the best rewarded rollouts of the newest step. ${sure}`
        : `It was ${number(first.value)} and is ${number(last.value)}. ${sure}`,
      key: alike.key,
      at: last,
    }),
  ];
};

interface Alike extends Series {
  /** Tasks of each of its evaluations; null where the run does not tell. */
  tasks: number | null;
}

/** Evaluations over as many tasks as the newest: a measure on another set of tasks is not one of the same series. */
function alikeOf({ signals }: RunEvidence, { key, samples }: Series): Alike {
  const counts = signals.get(evaluationTasksKey(key));
  const tasksAt = new Map(counts?.step.map((step, i) => [step, counts.value[i] ?? null]));
  const newest = samples.at(-1);
  const tasks = (newest && tasksAt.get(newest.step)) ?? null;
  if (tasks === null) return { key, samples, tasks };
  return { key, samples: samples.filter(({ step }) => tasksAt.get(step) === tasks), tasks };
}

/** Standard error of the difference of two evaluations. */
function chanceOf({ samples, tasks }: Alike, first: Sample, last: Sample): number {
  // Of how many tasks there are nothing is known: the changes between evaluations tell how far they scatter.
  if (tasks === null || tasks < 1) return Math.SQRT2 * stepNoise(valuesOf(samples));
  // With one more of either kind, so that none of eight solved is not taken for a certain 0.
  const varianceOf = ({ value }: Sample) => {
    const share = (Math.min(1, Math.max(0, value)) * tasks + 1) / (tasks + 2);
    return (share * (1 - share)) / tasks;
  };
  return Math.sqrt(varianceOf(first) + varianceOf(last));
}

/** Rise of the training reward between two evaluations; 0 where it is within the bounds of a fall. */
function trainingGain(evidence: RunEvidence, first: Sample, last: Sample): number {
  const { samples } = seriesOf(evidence, "reward/mean");
  const between = valuesOf(samples.filter(({ step }) => step >= first.step && step <= last.step));
  if (between.length < MIN_STEPS) return 0;
  const gained = mean(between.slice(-LEVEL_STEPS)) - mean(between.slice(0, LEVEL_STEPS));
  return levelAbove(evidence.thresholds["held-out-fall"], gained) === null ? 0 : gained;
}
