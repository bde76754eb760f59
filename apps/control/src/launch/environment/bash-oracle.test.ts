import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runScript } from "#launch/environment/bash/run-script.ts";
import { type Piece, show, type Text } from "#launch/environment/bash/text.ts";
import { unwrapCommand } from "#launch/environment/bash/wrappers.ts";
import { readLaunchScript } from "#launch/environment/read-launch-script.ts";
import { recogniseProgram } from "#launch/environment/recognise-program.ts";
import { compareReadings, PLAYED_HOME, Stage } from "#testing/play-in-bash.ts";

const FIXTURES = join(import.meta.dirname, "__fixtures__", "scripts");
const stage = new Stage();
afterAll(() => stage.close());

const SHELL = { HOME: PLAYED_HOME, USER: "u" };

const toText = (word: string): Text => (word === "" ? [] : [{ text: word, at: 0 } as Piece]);

/** What bash gave to the first training program, its starters taken off; null where it started none. */
function trainedInBash(
  script: string,
): { name: string; argv: string[]; env: Record<string, string> } | null {
  const { commands } = stage.play(script);
  for (const { argv, env } of commands) {
    const started = unwrapCommand(argv.map(toText), null);
    if (started.code !== null) {
      const inner = trainedInBash(show(started.code));
      if (inner) return inner;
      continue;
    }
    const program = recogniseProgram(started.argv);
    if (program.kind === "verl") return { name: program.name, argv: program.argv.map(show), env };
  }
  return null;
}

/** The same, followed without running anything. */
function trainedHere(script: string) {
  const variables = new Map(Object.entries(SHELL));
  const { trace } = runScript(script, { choices: new Map(), chosen: new Set(), variables });
  for (const { argv, isCaptured, env } of trace.invocations) {
    const program = recogniseProgram(argv);
    if (!isCaptured && program.kind === "verl")
      return { name: program.name, argv: program.argv, env };
  }
  return null;
}

const names = readdirSync(FIXTURES).filter((name) => name.endsWith(".sh"));

test("there are scripts", () => {
  expect(names.length).toBeGreaterThan(50);
});

describe.each(names)("%s", (name) => {
  const script = readFileSync(join(FIXTURES, name), "utf8");
  // bash takes the line ends of Windows for characters; LiveRL does not.
  const played = script.replaceAll("\r", "");

  test("the training program gets the arguments that bash gives it", () => {
    const bash = trainedInBash(played);
    const here = trainedHere(played);
    expect(here?.name).toBe(bash?.name);
    expect(here?.argv.map(show)).toEqual(bash?.argv);
    expect(bash).not.toBeNull();
  });

  test("the training program gets the variables that bash gives it", () => {
    const isStarted = /\b(?:ray job|srun|docker|uv run|ssh)\b/.test(played);
    const bash = trainedInBash(played);
    for (const [key, value] of trainedHere(played)?.env ?? [])
      if (!isStarted && !/^(?:PWD|PATH)$/.test(key)) expect(bash?.env[key], key).toBe(show(value));
  });

  test("no value is lost, wrong or made up without a note", () => {
    const bash = trainedInBash(played);
    const faults = compareReadings(
      readLaunchScript({ text: script }),
      bash && expanded(bash),
      readLaunchScript,
    );
    expect(faults).toEqual([]);
    const told = readLaunchScript({ text: script, variables: SHELL });
    expect(compareReadings(told, bash && expanded(bash), readLaunchScript)).toEqual([]);
  });
});

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const expanded = ({ name, argv }: { name: string; argv: string[] }) =>
  `python3 -m ${name} ${argv.map(quote).join(" ")}\n`;
