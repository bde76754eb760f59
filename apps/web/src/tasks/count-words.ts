import { formatCount } from "#ui/format-number.ts";

/** `12 of 103 tasks`; where tasks share a name, and with it a row: `12 of 103 names · 187 tasks`. */
export function countWords(shown: number, names: number, tasks: number): string {
  const of = `${formatCount(shown)} of ${formatCount(names)}`;
  return tasks > names ? `${of} names · ${formatCount(tasks)} tasks` : `${of} tasks`;
}

/** Why that is so; undefined where it is not. */
export const whyShared = (names: number, tasks: number): string | undefined =>
  tasks > names
    ? "Tasks of one name share a row: what changed in it is between tasks of a kind, not of one task alone."
    : undefined;
