import type { Argument, Command, Option } from "commander";

/** What may stand at the place of the last word, by the words before it. Pure but for `runIds`. */
export async function complete(
  program: Command,
  words: readonly string[],
  runIds: () => Promise<string[]>,
): Promise<string[]> {
  const before = words.slice(0, -1);
  const begun = words.at(-1) ?? "";
  const { command, given, pending } = walk(program, before);
  const candidates = pending ?? (await candidatesOf(command, { given, begun, runIds }));
  return candidates.filter((candidate) => candidate.startsWith(begun));
}

interface Place {
  command: Command;
  /** How many of its arguments stand already. */
  given: number;
  /** Values of the flag that is waiting for one; null where none is. */
  pending: readonly string[] | null;
}

function walk(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, given: 0, pending: null };
  for (const word of words) {
    if (place.pending) place = { ...place, pending: null };
    else if (word.startsWith("-")) place = { ...place, pending: valuesOf(place.command, word) };
    else place = next(place, word);
  }
  return place;
}

function next({ command, given }: Place, word: string): Place {
  const inner = command.commands.find((one) => one.name() === word);
  return inner
    ? { command: inner, given: 0, pending: null }
    : { command, given: given + 1, pending: null };
}

/** Null for a flag that takes no value. */
function valuesOf(command: Command, word: string): readonly string[] | null {
  const option = optionsAt(command).find((one) => one.long === word || one.short === word);
  if (!option || (!option.required && !option.optional)) return null;
  return option.argChoices ?? [];
}

function optionsOf(command: Command): Option[] {
  const parents = command.parent ? optionsOf(command.parent) : [];
  return [...command.options, ...parents];
}

/** Also of the command that stands for its parent: `rollouts RUN --filter` is `rollouts list RUN --filter`. */
const optionsAt = (command: Command): Option[] => [
  ...(usualOf(command)?.options ?? []),
  ...optionsOf(command),
];

const usualOf = (command: Command): Command | undefined =>
  command.commands.find((one) => one.name() === "list" || one.name() === "show");

async function candidatesOf(
  command: Command,
  { given, begun, runIds }: { given: number; begun: string; runIds: () => Promise<string[]> },
): Promise<string[]> {
  if (begun.startsWith("-"))
    return [...optionsAt(command).flatMap(({ long }) => long ?? []), "--help"];
  const inner = given === 0 ? command.commands.map((one) => one.name()) : [];
  const argument = argumentAt(command, given);
  return [
    ...inner,
    ...(argument?.argChoices ?? []),
    ...(argument?.name() === "run" ? await runIds() : []),
  ];
}

/** Also of the command that stands for its parent: `checkpoints RUN` is `checkpoints list RUN`. */
function argumentAt(command: Command, given: number): Argument | undefined {
  return command.registeredArguments[given] ?? usualOf(command)?.registeredArguments[given];
}
