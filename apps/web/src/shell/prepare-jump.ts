/** A place that the words typed into ⌘K name by themselves: nothing has to be asked. */
export type NamedPlace =
  | { kind: "step"; step: number }
  | { kind: "rollout"; runId: string; rolloutId: string };

/** A rollout's id without its run: `s7.g0.r3`, or `e0.t109` of an evaluation. */
const ROLLOUT = /^(?:[a-z]+\d+\.[a-z]+\d+\.r\d+|[ef]\d+\.t\d+)$/;

/**
 * `step 7` and `7` are a step of the open run where it has that many; an id that begins with a run's and a dot is a rollout of it,
 * also of a run that is not open, and one without a run before it is of the open one.
 */
export function prepareJump(
  typed: string,
  runs: readonly { id: string }[],
  open: { id: string; step: number } | null,
): NamedPlace[] {
  const words = typed.trim();
  const step = Number(/^(?:step\s*)?(\d{1,9})$/i.exec(words)?.[1] ?? Number.NaN);
  const places: NamedPlace[] = [];
  if (open !== null && step >= 1 && step <= open.step) places.push({ kind: "step", step });
  // Of `a` and `a.b` the longer one is meant.
  const run = runs
    .filter(({ id }) => words.startsWith(`${id}.`) && words.length > id.length + 1)
    .sort((a, b) => b.id.length - a.id.length)[0];
  if (run !== undefined && !/\s/.test(words))
    places.push({ kind: "rollout", runId: run.id, rolloutId: words });
  else if (open !== null && ROLLOUT.test(words))
    places.push({ kind: "rollout", runId: open.id, rolloutId: `${open.id}.${words}` });
  return places;
}

/**
 * The group that an id of a rollout begins with, and the id as far as it is typed: `s7.g0`, with or without its run before it. By the
 * group an index finds them; a part of any id would have every rollout looked at, at each letter.
 */
export function groupOfTyped(
  runId: string,
  words: string,
): { groupId: string; begin: string } | null {
  const tail = words.startsWith(`${runId}.`) ? words.slice(runId.length + 1) : words;
  const [group] = /^[a-z]+\d+\.[a-z]+\d+/.exec(tail) ?? [];
  return group === undefined ? null : { groupId: `${runId}.${group}`, begin: `${runId}.${tail}` };
}
