import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
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

/** Random scripts: assignments, expansions, arrays, branches and loops over each other's variables. */
function randomScript(): fc.Arbitrary<string> {
  const name = fc.constantFrom("a", "b", "c", "UNSET");
  const literal = fc.constantFrom("x", "7", "a b", "p/q.r", "", "Z*", "k=v", "1,2");
  const operation = fc.constantFrom(
    ...[
      ":-d e",
      "-f",
      ":+g",
      "#*/",
      "%.*",
      "##p",
      "%%/*",
      "/x/yy",
      "//[a-z]/_",
      "^^",
      ",",
      ":1",
      ":0:2",
    ],
    ...[':-"q r"', ":-$b", "/#p/P", "/%r/R", ":-"],
  );
  const part = fc.oneof(
    literal.map((text) => `"${text}"`),
    literal.map((text) => `'${text}'`),
    name.map((each) => `$${each}`),
    name.map((each) => `"$${each}"`),
    fc.tuple(name, operation).map(([each, change]) => `\${${each}${change}}`),
    fc.tuple(name, operation).map(([each, change]) => `"\${${each}${change}}"`),
    fc.constantFrom(
      "$((1 + 2 * 3))",
      "$(echo one two)",
      '"$(echo "one  two")"',
      "{l,r}",
      "\\ ",
      "$'t\\tb'",
    ),
    fc.constantFrom(
      '"${arr[@]}"',
      "${arr[*]}",
      "${#arr[@]}",
      '"${arr[1]}"',
      "${#a}",
      '"${arr[*]}"',
    ),
  );
  const word = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("=", "+="), word)
      .map((each) => each.join("")),
    fc.array(word, { maxLength: 3 }).map((words) => `arr=(${words.join(" ")})`),
    word.map((each) => `arr+=(${each})`),
    fc
      .tuple(name, word)
      .map(([each, value]) => `if [ -n "$${each}" ]; then b=${value}; else c=no; fi`),
    fc.tuple(name, word).map(([each, value]) => `[[ $${each} == *x* ]] && a=${value}`),
    fc
      .tuple(name, word)
      .map(
        ([each, value]) => `case "$${each}" in x|7) c=${value} ;; p*) c=P ;; *) c=other ;; esac`,
      ),
    word.map((each) => `for i in ${each}; do c+="<$i>"; done`),
    word.map((each) => `f() { local a=$1; b+=$a$#; }; f ${each}`),
    word.map((each) => `IFS=, read -r a b <<< ${each}`),
    fc.constantFrom("n=$((n + 2)); a=$n", "set -- u v; c=$2$#", "unset b", "(a=sub)"),
  );
  return fc
    .tuple(
      fc.array(line, { minLength: 2, maxLength: 9 }),
      fc.array(word, { minLength: 1, maxLength: 5 }),
    )
    .map(
      ([lines, words]) =>
        `unset a b c UNSET arr n\n${lines.join("\n")}\npython3 -m verl.trainer.main_ppo ${words.map((each, i) => `k${i}.v=${each}`).join(" ")} ${words.join(" ")} "$a" "$b" "$c"\n`,
    );
}

test("random scripts come to what bash makes of them", () => {
  fc.assert(
    fc.property(randomScript(), (script) => {
      const bash = trainedInBash(script);
      const here = trainedHere(script);
      // A value from outside is empty in bash's own run, and unknown here.
      const argv = here?.argv.map((text) =>
        text.map((piece) => ("unknown" in piece ? "" : piece.text)).join(""),
      );
      expect(argv?.filter((word) => word !== "")).toEqual(bash?.argv.filter((word) => word !== ""));
    }),
    { numRuns: 150 },
  );
});
