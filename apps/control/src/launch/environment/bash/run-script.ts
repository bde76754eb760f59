import { type ParseError, parse } from "unbash";
import { Choices, type Decision } from "#launch/environment/bash/choices.ts";
import { Shell, Trace } from "#launch/environment/bash/shell.ts";
import { TooMuch } from "#launch/environment/bash/status.ts";
import { textOf } from "#launch/environment/bash/text.ts";
import type { Variables } from "#launch/environment/bash/variables.ts";

export const MAX_STEPS = 200_000;

export interface Run {
  trace: Trace;
  decisions: readonly Decision[];
  variables: Variables;
  errors: readonly ParseError[];
  /** The script takes more than a reading may. */
  isCutShort: boolean;
  stepsTaken: number;
}

export interface Given {
  /** Option by the id of a decision. */
  choices: ReadonlyMap<string, number>;
  /** Decisions that the user has made. */
  chosen: ReadonlySet<string>;
  /** Variables of the shell that would run the script; `1`, `2`, … are its arguments. */
  variables: ReadonlyMap<string, string>;
}

/**
 * Follows a script as bash would run it, without running anything: what its programs print, what files hold and what its
 * shell brings along is unknown unless it is given. Bounded in steps, text and depth. Pure.
 */
export function runScript(text: string, given: Given, maxSteps = MAX_STEPS): Run {
  const script = parse(isTooDeep(text) ? "" : text);
  const trace = new Trace(maxSteps);
  const choices = new Choices(given.choices, given.chosen);
  const shell = new Shell({ text, at: (position) => position }, trace, choices);
  giveVariables(shell, given.variables);
  let isCutShort = isTooDeep(text);
  try {
    shell.runAll(script.commands);
  } catch (error) {
    // A script that nests deeper than the stack is too much as well.
    if (!(error instanceof TooMuch || error instanceof RangeError)) throw error;
    isCutShort = true;
  }
  return {
    trace,
    decisions: choices.made,
    variables: shell.variables,
    errors: script.errors ?? [],
    isCutShort,
    stepsTaken: maxSteps - Math.max(0, trace.stepsLeft),
  };
}

function giveVariables(shell: Shell, variables: ReadonlyMap<string, string>): void {
  const positional: string[] = [];
  for (const [name, value] of variables) {
    if (/^[1-9]\d?$/.test(name)) positional[Number(name) - 1] = value;
    else if (/^[A-Za-z_]\w*$/.test(name)) {
      shell.variables.assign(name, textOf(value, -1));
      shell.variables.declare(name, { isExported: true });
    }
  }
  if (positional.length > 0)
    shell.positional = Array.from(positional, (value) => textOf(value ?? "", -1));
}

const MAX_NESTING = 60;

/** Parentheses and braces inside each other, more than a person writes: each level costs the parser another look. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(" || char === "{") depth += 1;
    else if ((char === ")" || char === "}") && depth > 0) depth -= 1;
    if (depth > MAX_NESTING) return true;
  }
  return false;
}
