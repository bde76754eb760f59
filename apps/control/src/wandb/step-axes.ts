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
 * The step at which a line's value of `key` stands: that of the step metric which the trainer defined for it. Before a trainer has defined
 * any, a step that the line has for the same group of names, or one for all. Null: W&B's own `_step`.
 */
export function stepOnAxis(
  key: string,
  line: Readonly<Record<string, unknown>>,
  axes: readonly StepAxis[],
): number | null {
  const name = axes.length > 0 ? definedFor(key, axes) : usualFor(key, line);
  const value = name === null ? undefined : line[name];
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31
    ? value
    : null;
}

function definedFor(key: string, axes: readonly StepAxis[]): string | null {
  const fits = axes.filter(({ name }) => name === key || isGlobOf(name, key));
  // A name goes before a pattern, a longer pattern before a shorter one.
  const [best] = fits.sort(
    (a, b) => Number(b.name === key) - Number(a.name === key) || b.name.length - a.name.length,
  );
  if (best) return best.step;
  return axes.some(({ step }) => step === key) ? key : null;
}

/** As the client has it: one star, at the end. */
const isGlobOf = (glob: string, key: string) =>
  glob.endsWith("*") && key.startsWith(glob.slice(0, -1));

function usualFor(key: string, line: Readonly<Record<string, unknown>>): string | null {
  const steps = Object.keys(line).filter((name) => STEP_KEY.test(name));
  const group = key.slice(0, Math.max(0, key.lastIndexOf("/")));
  const own = steps.find((name) => STEP_KEY.exec(name)?.[1] === (group === "" ? undefined : group));
  return own ?? (steps.length === 1 ? (steps[0] ?? null) : null);
}
