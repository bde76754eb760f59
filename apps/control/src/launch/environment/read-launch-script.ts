import type { EnvironmentReading, ReadEnvironment } from "@liverl/contract/launch";
import type { Decision } from "#launch/environment/bash/choices.ts";
import { type Run, runScript } from "#launch/environment/bash/run-script.ts";
import type { Invocation } from "#launch/environment/bash/shell.ts";
import { show, textOf, unknownsOf } from "#launch/environment/bash/text.ts";
import { ENVIRONMENT_NAMES } from "#launch/environment/environment-names.ts";
import { findWritten, type Written } from "#launch/environment/find-assignments.ts";
import {
  type HydraArguments,
  readHydraArguments,
} from "#launch/environment/read-hydra-arguments.ts";
import { type HydraFile, readHydraFile } from "#launch/environment/read-hydra-file.ts";
import {
  isVerlKey,
  type Program,
  recogniseProgram,
} from "#launch/environment/recognise-program.ts";
import {
  type Entries,
  type Entry,
  type SpecNote,
  type SpecReading,
  specFromEntries,
} from "#launch/environment/spec-from-entries.ts";

type Trainer = Extract<Program, { kind: "verl" | "other" }>;
interface Candidate {
  invocation: Invocation;
  program: Trainer;
}

/** Choices that are not bash's: which of several commands, and whether another trainer's arguments are taken. */
const COMMAND = "command";
const PROGRAM = "program";
/** Readings of one text: each option of a choice is one. */
const MAX_READINGS = 40;
const MAX_STEPS_IN_ALL = 1_500_000;
const MAX_CHOICES = 30;
const MAX_LABEL = 200;

/** One way through the script. */
interface Reading extends SpecReading {
  run: Run;
  decisions: readonly Decision[];
  command: { program: string; at: number; via: readonly string[] } | null;
  /** A command that trains is reached. */
  trains: boolean;
  unknowns: Map<string, { at: number; keys: Set<string> }>;
}

/** What a launch script, a list of variables or a file of Hydra's says in a spec's own words. Runs nothing. Pure. */
export function readLaunchScript({
  text: given,
  choices = {},
  variables = {},
}: ReadEnvironment): EnvironmentReading {
  // Line ends of Windows are none to a shell.
  const text = given.replace(/\r\n?/g, "\n");
  const lineOf = lineCounter(text);
  const file = readHydraFile(text);
  if (file) return readingOfFile(file, lineOf);
  const ids = choiceIds(text, lineOf);
  const chosen = new Map(Object.entries(choices).map(([id, taken]) => [ids.read(id), taken]));
  const { reading, alternatives } = explore(text, chosen, new Map(Object.entries(variables)));
  const source = reading.command === null ? "variables" : "script";
  const notes = [...reading.notes, ...notesOfAlternatives(reading, alternatives)];
  return {
    source,
    command: reading.command && {
      program: reading.command.program,
      line: lineOf(reading.command.at),
      via: [...reading.command.via],
    },
    values: reading.values.map(({ at, ...value }) => ({ ...value, line: lineOf(at) })),
    choices: alternatives.map(({ decision, options }) => ({
      id: ids.write(decision.id),
      line: lineOf(decision.at),
      condition: oneLine(decision.condition),
      taken: decision.taken,
      isChosen: decision.isChosen,
      options,
    })),
    unknowns: [...reading.unknowns].map(([name, { at, keys }]) => ({
      ...{ name, line: lineOf(at), keys: [...keys] },
    })),
    notes: inOrder(notes).map(({ at, choice, ...note }) => ({
      ...{ ...note, line: lineOf(at), choice: choice === undefined ? null : ids.write(choice) },
    })),
  };
}

/** A decision's place in the text as `line:column`, and back. */
function choiceIds(text: string, lineOf: (at: number) => number | null) {
  return {
    write: (id: string) => {
      const at = Number(id);
      if (!Number.isInteger(at)) return id;
      return `${lineOf(at) ?? 0}:${at - text.lastIndexOf("\n", at - 1)}`;
    },
    read: (id: string) => {
      const [, line, column] = /^(\d{1,6}):(\d{1,6})$/.exec(id) ?? [];
      if (line === undefined) return id;
      let start = 0;
      for (let i = 1; i < Number(line); i++) start = text.indexOf("\n", start) + 1;
      return String(start + Number(column) - 1);
    },
  };
}

const inOrder = (notes: readonly SpecNote[]) =>
  [...notes].sort((a, b) => Number(a.isMinor) - Number(b.isMinor) || a.at - b.at);

const oneLine = (text: string) => {
  const joined = text
    .replaceAll("\\\n", " ")
    .split(/\s/)
    .filter((part) => part !== "")
    .join(" ");
  return joined.length > MAX_LABEL ? `${joined.slice(0, MAX_LABEL - 1)}…` : joined;
};

/** Line of a position, from 1; null for what stands nowhere in the text. */
function lineCounter(text: string): (at: number) => number | null {
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return (at) => {
    if (at < 0) return null;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

function readingOfFile(
  { source, overrides }: HydraFile,
  lineOf: (at: number) => number | null,
): EnvironmentReading {
  const isConfig = source === "hydra-config";
  const { values, notes } = specFromEntries({
    ...{ mode: isConfig ? "sync" : null, module: null, configName: null },
    ...{ overrides, exported: [], variables: [] },
  });
  // A whole config names every key of verl; only those with a field of their own tell this run from another.
  const taken = isConfig ? values.filter(({ path }) => !path.startsWith("overrides.")) : values;
  const left = isConfig ? values.filter(({ path }) => path.startsWith("overrides.")) : [];
  const all: SpecNote[] = [
    ...notes.map((note) => (isConfig ? { ...note, isMinor: true } : note)),
    ...left.map(({ name, at }) => ({
      ...{ name, at, isMinor: true },
      message:
        "has no field here, and a whole config does not say which keys were changed: paste overrides.yaml beside it",
    })),
  ];
  return {
    ...{ source, command: null, choices: [], unknowns: [] },
    values: taken.map(({ at, ...value }) => ({ ...value, line: lineOf(at) })),
    notes: inOrder(all).map(({ at, ...note }) => ({ ...note, line: lineOf(at), choice: null })),
  };
}

// Exploring.

type Options = EnvironmentReading["choices"][number]["options"];
interface Alternative {
  decision: Decision;
  options: Options;
}

/** Reads the likeliest way, and every option of each choice on it for what it would change. */
function explore(
  text: string,
  choices: ReadonlyMap<string, number>,
  variables: ReadonlyMap<string, string>,
): { reading: Reading; alternatives: Alternative[] } {
  const written = findWritten(text);
  const chosen = new Map(choices);
  let left = MAX_READINGS;
  let steps = MAX_STEPS_IN_ALL;
  const read = (also: ReadonlyMap<string, number>): Reading => {
    left -= 1;
    const given = new Map([...also, ...chosen]);
    const run = runScript(text, { choices: given, chosen: new Set(chosen.keys()), variables });
    steps -= Math.max(1, run.stepsTaken);
    return readRun(text, run, written, given, new Set(chosen.keys()));
  };
  const canGoOn = () => left > 0 && steps > 0;
  let fixed = new Map<string, number>();
  let reading = read(fixed);
  // A way that ends before it trains is not meant: a check of arguments, of files, of a machine.
  const isWorthIt = () => !reading.trains && mayTrain(text);
  for (const decision of [...reading.decisions].reverse()) {
    if (!isWorthIt()) break;
    for (let option = 0; option < decision.options.length && canGoOn(); option++) {
      if (option === decision.taken || chosen.has(decision.id)) continue;
      const other = new Map([...fixed, [decision.id, option]]);
      const next = read(other);
      if (!next.trains) continue;
      [reading, fixed] = [next, other];
      break;
    }
  }
  const alternatives: Alternative[] = [];
  for (const decision of reading.decisions.slice(0, MAX_CHOICES)) {
    const options = decision.options.map((label, option): Options[number] => {
      if (option === decision.taken || !canGoOn())
        return { label: oneLine(label), changes: [], stops: false };
      const wasChosen = chosen.get(decision.id);
      chosen.set(decision.id, option);
      const other = read(fixed);
      if (wasChosen === undefined) chosen.delete(decision.id);
      else chosen.set(decision.id, wasChosen);
      const stops = reading.trains && !other.trains;
      return { label: oneLine(label), changes: stops ? [] : changesOf(reading, other), stops };
    });
    const matters = options.some(({ changes }) => changes.length > 0);
    if (matters || decision.isChosen || decision.id === COMMAND || decision.id === PROGRAM)
      alternatives.push({ decision, options });
  }
  return { reading, alternatives };
}

const mayTrain = (text: string) => /main_ppo|fully_async_main|python|ray job|torchrun/.test(text);

function changesOf(from: Reading, to: Reading): Options[number]["changes"] {
  const before = new Map(from.values.map((value) => [value.path, value]));
  const after = new Map(to.values.map((value) => [value.path, value]));
  const changed = to.values.filter(
    ({ path, value }) => JSON.stringify(before.get(path)?.value) !== JSON.stringify(value),
  );
  const gone = from.values.filter(({ path }) => !after.has(path));
  return [
    ...changed.map(({ path, value, name }) => ({ path, value, name })),
    ...gone.map(({ path, name }) => ({ path, name })),
  ];
}

/** A line for every value that another option would change: none of them is taken silently. */
function notesOfAlternatives(reading: Reading, alternatives: readonly Alternative[]): SpecNote[] {
  return alternatives.flatMap(({ decision, options }) => {
    if (decision.isChosen || decision.id === PROGRAM) return [];
    const names = new Map<string, string[]>();
    for (const { label, changes } of options)
      for (const { name, value } of changes) {
        const bare = name.replace(/^[+~]{1,2}/, "");
        const said = value === undefined ? "not set" : JSON.stringify(value);
        names.set(bare, [...(names.get(bare) ?? []), `${said} for “${label}”`]);
      }
    return [...names].map(([name, others]): SpecNote => {
      const now = reading.values.find((value) => value.name.replace(/^[+~]{1,2}/, "") === name);
      const taken = now === undefined ? "not set" : JSON.stringify(now.value);
      return {
        ...{ name, at: decision.at, isMinor: false, choice: decision.id },
        message: `${taken} is a guess, ${others.slice(0, 3).join(", ")}: choose at “${oneLine(decision.condition).slice(0, 80)}”`,
      };
    });
  });
}

// One reading.

function readRun(
  text: string,
  run: Run,
  written: ReturnType<typeof findWritten>,
  given: ReadonlyMap<string, number>,
  chosen: ReadonlySet<string>,
): Reading {
  const notes: SpecNote[] = notesOfRun(run);
  const decisions = [...run.decisions];
  const programs = run.trace.invocations
    .filter(({ isCaptured }) => !isCaptured)
    .map((invocation) => ({ invocation, program: recogniseProgram(invocation.argv) }));
  const found = chooseCommand(programs, { given, chosen, decisions, notes });
  const empty = { run, decisions, notes, values: [], unknowns: new Map(), trains: false };
  if (found === null) {
    const fragments = readFragments(text, run, programs);
    return { ...empty, ...fragments, notes: [...notes, ...fragments.notes], command: null };
  }
  const { invocation, program } = found;
  const command = { program: program.name, at: invocation.at, via: invocation.via };
  const args = readHydraArguments(program.argv);
  if (program.kind === "other") {
    const isTaken = chooseProgram(program, invocation, args, { given, chosen, decisions, notes });
    if (!isTaken) {
      notes.push(...leftOfOther(program, args), ...notesOfWritten(run, written, usedBy(args)));
      return { ...empty, command, trains: true };
    }
  }
  const entries = entriesOf(found, args, notes);
  const spec = specFromEntries(entries);
  notes.push(
    ...spec.notes,
    ...notesOfArguments(args, run),
    ...notesOfWritten(run, written, usedBy(args)),
  );
  notes.push(...notesOfVariables(run, written, entries));
  return { ...empty, values: spec.values, command, trains: true, unknowns: unknownsIn(entries) };
}

interface Deciding {
  given: ReadonlyMap<string, number>;
  chosen: ReadonlySet<string>;
  decisions: Decision[];
  notes: SpecNote[];
}

function decide(
  { given, chosen, decisions }: Deciding,
  { id, at, condition, options }: Pick<Decision, "id" | "at" | "condition" | "options">,
): number {
  const taken = Math.max(0, Math.min(given.get(id) ?? 0, options.length - 1));
  decisions.push({ id, at, condition, options, taken, isChosen: chosen.has(id), names: [] });
  return taken;
}

/** The training command of a script: verl's own before others; of several, one that the user may choose. */
function chooseCommand(
  programs: readonly { invocation: Invocation; program: Program }[],
  deciding: Deciding,
): Candidate | null {
  const isOf = (kind: Trainer["kind"]) =>
    programs.filter((each): each is Candidate => each.program.kind === kind);
  const verl = distinct(isOf("verl"));
  const candidates = verl.length > 0 ? verl : distinct(isOf("other"));
  const [first] = candidates;
  for (const { invocation, program } of programs) noteProgram(program, invocation, first, deciding);
  if (!first || candidates.length === 1) return first ?? null;
  const taken = decide(deciding, {
    id: COMMAND,
    at: first.invocation.at,
    condition: `${candidates.length} training commands`,
    options: candidates.map(labelOf),
  });
  return candidates[taken] ?? first;
}

function labelOf({ invocation, program }: Candidate, i: number, all: readonly Candidate[]): string {
  const others = new Set(
    all.filter((_, at) => at !== i).flatMap(({ program: { argv } }) => argv.map(show)),
  );
  const own = program.argv.map(show).filter((word) => !others.has(word));
  return (
    `${i + 1}: ${program.name} ${own.slice(0, 3).join(" ")}`.trim().slice(0, MAX_LABEL) ||
    `at ${invocation.at}`
  );
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Map<string, Candidate>();
  for (const each of candidates) {
    const key = [each.program.name, ...each.program.argv.map(show)].join("\0");
    if (!seen.has(key)) seen.set(key, each);
  }
  return [...seen.values()].slice(0, 20);
}

function noteProgram(
  program: Program,
  { at, args }: Invocation,
  main: Candidate | undefined,
  { notes }: Deciding,
): void {
  if (program.kind === "verl-tool")
    notes.push({
      ...{ name: program.name, at, isMinor: main !== undefined },
      message: "is a program of verl that LiveRL does not launch: its arguments are left out",
    });
  else if (program.kind === "other" && main?.program.kind === "verl")
    notes.push({
      ...{ name: program.name, at, isMinor: false },
      message: `is ${program.label}, and no program that LiveRL starts: its arguments are left out`,
    });
  else if (program.kind === "shell") {
    const given = [...program.argv, ...args].some((text) => isVerlKey(show(text)));
    notes.push({
      ...{ name: program.name, at, isMinor: main !== undefined && !given },
      message: "is another script, which is not in this text: paste what it runs",
    });
  }
}

/** Whether the arguments of another trainer are read as verl's: never unless the user says so. */
function chooseProgram(
  program: Trainer,
  { at }: Invocation,
  { overrides }: HydraArguments,
  deciding: Deciding,
): boolean {
  const isOnVerl = overrides.some(({ name }) => isVerlKey(`${name}=`));
  deciding.notes.push({
    ...{ name: program.name, at, isMinor: false },
    message: isOnVerl
      ? `is ${programLabel(program)}, and no program that LiveRL starts: what only it does would be lost`
      : `is ${programLabel(program)}: this is no script of verl, and nothing of it is taken`,
  });
  if (!isOnVerl) return false;
  const options = ["Take nothing", "Take its arguments for verl.trainer.main_ppo"];
  return (
    decide(deciding, { id: PROGRAM, at, condition: `${program.name} is not verl's`, options }) === 1
  );
}

const programLabel = (program: Trainer) => (program.kind === "other" ? program.label : "verl");

const leftOfOther = (program: Trainer, { overrides }: HydraArguments): SpecNote[] =>
  overrides.map(({ name, at }) => ({
    ...{ name: name.replace(/^[+~]{1,2}/, ""), at, isMinor: false },
    message: `is an argument of ${program.name}, which is not verl's`,
  }));

function entriesOf(
  { invocation, program }: Candidate,
  args: HydraArguments,
  notes: SpecNote[],
): Entries {
  const isRay = invocation.via.includes("ray job submit");
  if (isRay)
    notes.push({
      ...{ name: "ray job submit", at: invocation.at, isMinor: true },
      message:
        "variables that the script exports do not reach a Ray job: only those of its runtime environment are taken",
    });
  return {
    mode: program.kind === "verl" ? program.mode : "sync",
    module: { name: program.name, value: [], at: invocation.at },
    configName:
      args.configName === null
        ? null
        : {
            name: "--config-name",
            value: textOf(args.configName, invocation.at),
            at: invocation.at,
          },
    overrides: args.overrides,
    exported: [...invocation.env]
      .filter(([, value]) => value[0]?.at !== -1)
      .map(([name, value]) => ({ name, value, at: value[0]?.at ?? invocation.at })),
    variables: [],
  };
}

/** Variables and bare overrides of a text without a training command. */
function readFragments(
  text: string,
  run: Run,
  programs: readonly { invocation: Invocation; program: Program }[],
): SpecReading & Pick<Reading, "unknowns"> {
  const places = new Map(findWritten(text).variables.map(({ name, at }) => [name, at]));
  const overrides: Entry[] = [];
  let configName: Entry | null = null;
  for (const { invocation } of programs) {
    const args = readHydraArguments(invocation.argv);
    const [first] = invocation.argv;
    if (!first || !isFragment(show(first))) continue;
    overrides.push(...args.overrides);
    const at = invocation.at;
    if (args.configName !== null)
      configName = { name: "--config-name", value: textOf(args.configName, at), at };
  }
  const isExported = new Set<string>();
  for (const { invocation } of programs)
    for (const name of invocation.env.keys()) isExported.add(name);
  const variables: Entry[] = [];
  const exported: Entry[] = [];
  for (const name of run.variables.names()) {
    const variable = run.variables.find(name);
    const value = variable?.items.get("0");
    if (variable?.kind !== "scalar" || value === undefined || value[0]?.at === -1) continue;
    const entry = { name, value, at: places.get(name) ?? value[0]?.at ?? 0 };
    (variable.isExported ? exported : variables).push(entry);
  }
  const entries = { mode: null, module: null, configName, overrides, exported, variables };
  // What a program is given before its name is as good as exported.
  const given = programs.flatMap(({ invocation }) =>
    isFragment(show(invocation.argv[0] ?? []))
      ? []
      : [...invocation.env]
          .filter(([name]) => !run.variables.names().includes(name))
          .map(([name, value]) => ({ name, value, at: value[0]?.at ?? invocation.at })),
  );
  const spec = specFromEntries({ ...entries, exported: [...exported, ...given] });
  return { ...spec, unknowns: unknownsIn({ ...entries, exported: [...exported, ...given] }) };
}

const isFragment = (word: string) =>
  /^[+~]{0,2}[A-Za-z_][\w./@-]*=/.test(word) ||
  /^--?config-(?:name|path|dir)/.test(word) ||
  /^~[A-Za-z_][\w.]*$/.test(word);

function unknownsIn(entries: Entries): Reading["unknowns"] {
  const unknowns: Reading["unknowns"] = new Map();
  for (const { name, value, at } of [...entries.overrides, ...entries.exported])
    for (const unknown of unknownsOf(value))
      for (const needed of unknown.names) {
        const known = unknowns.get(needed) ?? { at, keys: new Set<string>() };
        known.keys.add(name.replace(/^[+~]{1,2}/, ""));
        unknowns.set(needed, known);
      }
  return unknowns;
}

// Notes.

function notesOfRun({ trace, errors, isCutShort }: Run): SpecNote[] {
  const notes: SpecNote[] = trace.findings.map((finding) => ({ ...finding, isMinor: false }));
  for (const { message, pos } of errors.slice(0, 20))
    notes.push({
      name: "syntax",
      at: pos,
      isMinor: false,
      message: `bash cannot read this: ${message}`,
    });
  if (isCutShort)
    notes.push({
      ...{ name: "script", at: 0, isMinor: false },
      message: "takes too many steps to follow: what comes later in it is not read",
    });
  return notes;
}

function notesOfArguments({ configPath, others }: HydraArguments, { trace }: Run): SpecNote[] {
  const notes: SpecNote[] = others.map(({ text, at }) => ({
    ...{ name: text.slice(0, 80), at, isMinor: false },
    message: "sets no value of verl's config",
  }));
  const isOwn =
    configPath === null || /^(?:\.\/)?config$|verl\/trainer\/config\/?$/.test(configPath);
  if (!isOwn)
    notes.push({
      ...{ name: "--config-path", at: 0, isMinor: true },
      message: `${configPath} is a folder of configs of its own: LiveRL starts verl with verl's`,
    });
  if (trace.usesArguments)
    notes.push({
      ...{ name: "$@", at: 0, isMinor: true },
      message: "arguments that the script is called with are not known here",
    });
  return notes;
}

const usedBy = ({ overrides }: HydraArguments): Set<number> =>
  new Set(overrides.map(({ at }) => at));

/** Overrides that stand in the text and do not reach the training command, each with the reason. */
function notesOfWritten(
  { trace, variables }: Run,
  { overrides }: ReturnType<typeof findWritten>,
  used: ReadonlySet<number>,
): SpecNote[] {
  const isUsed = ({ at, end }: Written) => {
    for (let start = at - 1; start < end; start++) if (used.has(start)) return true;
    return false;
  };
  return overrides
    .filter((each) => !isUsed(each))
    .map((each) => ({
      ...{ name: each.name.replace(/^[+~]{1,2}/, ""), at: each.at },
      ...whyLeft(each, trace.ran, variables),
    }));
}

function whyLeft(
  { statement, around, ofFunction, variable, isCommand, branch }: Written,
  ran: ReadonlySet<number>,
  variables: Run["variables"],
): Pick<SpecNote, "message" | "isMinor"> {
  const wasRun = statement === -1 || ran.has(statement);
  if (!wasRun && ofFunction !== null && !around.some((each) => ran.has(each) && each > 0))
    return { message: `stands in ${ofFunction}, which is not called`, isMinor: true };
  if (!wasRun)
    return {
      message:
        branch === null
          ? "stands behind the end of the script"
          : "stands in a branch that is not taken",
      isMinor: true,
    };
  if (variable !== null && variables.wasRead.has(variable))
    return {
      message: `stands in ${variable}, of which the command gets another value`,
      isMinor: true,
    };
  if (variable !== null)
    return { message: `stands in ${variable}, which the command does not get`, isMinor: false };
  if (isCommand)
    return {
      message: "stands by itself: a comment or an empty line before it ends the command",
      isMinor: false,
    };
  return { message: "is no argument of the training command", isMinor: false };
}

/** Variables that nothing uses: as likely forgotten as meant. */
function notesOfVariables(
  run: Run,
  { variables }: ReturnType<typeof findWritten>,
  { exported }: Entries,
): SpecNote[] {
  const reaches = new Set(exported.map(({ name }) => name));
  const last = new Map(variables.map((each) => [each.name, each]));
  return [...last.values()]
    .filter(({ name }) => !run.variables.wasRead.has(name) && !reaches.has(name))
    .map(({ name, at, statement }) => ({
      ...{ name, at },
      isMinor: !(name.toLowerCase() in ENVIRONMENT_NAMES) || !run.trace.ran.has(statement),
      message: run.trace.ran.has(statement)
        ? "is set, and the command does not get it"
        : "stands in a branch that is not taken",
    }));
}
