import { InvalidArgumentError } from "commander";

/** A step, a count: a whole number from `least` on. */
export const whole =
  (least = 0) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`Give a whole number, ${least} or more.`);
  };

export function real(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("Give a number.");
}

/** `100..120`: both ends are included. */
export function steps(text: string): [number, number] {
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return [Number(from), Number(to)];
  throw new InvalidArgumentError("Give steps as 100..120.");
}
