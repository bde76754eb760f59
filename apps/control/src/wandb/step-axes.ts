import { z } from "zod";

/** A metric, or all whose names match, counted by the values of another metric: `define_metric(name, step_metric=…)`. */
export const StepAxis = z.object({ name: z.string().max(300), step: z.string().max(300) });
export type StepAxis = z.infer<typeof StepAxis>;

/** The client's definitions as its configuration has them: fields of its protobuf by number. 1 name, 2 glob, 5 place of the step metric, from 1. */
const Definitions = z.array(
  z.looseObject({
    "1": z.string().optional(),
    "2": z.string().optional(),
    "5": z.number().int().optional(),
  }),
);
const Held = z.object({ _wandb: z.object({ value: z.object({ m: Definitions }) }) });
const MAX_AXES = 1000;

/** The step axes in a client's configuration; null where it says nothing of them. */
export function parseStepAxes(config: unknown): StepAxis[] | null {
  const held = Held.safeParse(config);
  if (!held.success) return null;
  const { m } = held.data._wandb.value;
  return m.slice(0, MAX_AXES).flatMap((one) => {
    const name = one["1"] ?? one["2"];
    const step = one["5"] === undefined ? undefined : m[one["5"] - 1]?.["1"];
    return name === undefined || step === undefined ? [] : [{ name, step }];
  });
}

/** A step that a trainer logs beside its metrics: `train/step`, `global_step`. */
const STEP_KEY = /^(?:(.*)\/)?(?:global_step|step)$/;

/**
 * Tells the step at which a line's value of a key stands: that of the step metric which the trainer defined for it. Before a trainer has
 * defined any, a step that the line has for the same group of names, or one for all. Null: W&B's own `_step`.
 */
export function stepsOnAxes(
  line: Readonly<Record<string, unknown>>,
  axes: readonly StepAxis[],
): (key: string) => number | null {
  const nameFor = axes.length > 0 ? definedIn(axes) : usualIn(line);
  return (key) => {
    const name = nameFor(key);
    const value = name === null ? undefined : line[name];
    return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31
      ? value
      : null;
  };
}

function definedIn(axes: readonly StepAxis[]): (key: string) => string | null {
  const exact = new Map(axes.map(({ step }) => [step, step]));
  // A step metric that a pattern covers counts itself; a definition of its own goes before.
  for (const { name, step } of axes) exact.set(name, step);
  const globs = axes
    .filter(({ name }) => name.endsWith("*"))
    .map(({ name, step }) => ({ start: name.slice(0, -1), step }))
    .sort((a, b) => b.start.length - a.start.length);
  // As the client has it: one star, at the end. A longer pattern goes before a shorter one.
  return (key) => exact.get(key) ?? globs.find(({ start }) => key.startsWith(start))?.step ?? null;
}

function usualIn(line: Readonly<Record<string, unknown>>): (key: string) => string | null {
  const names = Object.keys(line).filter((name) => STEP_KEY.test(name));
  const ofGroup = new Map(names.map((name) => [STEP_KEY.exec(name)?.[1] ?? "", name]));
  const only = names.length === 1 ? (names[0] ?? null) : null;
  return (key) => ofGroup.get(key.slice(0, Math.max(0, key.lastIndexOf("/")))) ?? only;
}
