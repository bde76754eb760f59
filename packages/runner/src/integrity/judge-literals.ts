import type { IntegrityFlag } from "@liverl/contract/rollout";
import { addedLines } from "#integrity/added-lines.ts";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";
import { isTestFile } from "#integrity/test-file.ts";

/** Shorter texts, shorter lists and shorter numbers are in any program. */
const SHORTEST_TEXT = 6;
const LONGEST_TEXT = 200;
const NUMBERS = /(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?![\w.])/g;
/** Of a list, without code. */
const VALUES =
  /^(?:[[\](){},.:\s\d+-]|"[^"\n]*"|'[^'\n]*'|\b(?:True|False|None|true|false|null)\b)+$/;
const LONGEST_LIST = 200;
const DIGITS_OF_A_NUMBER = 4;
const VALUES_OF_A_LIST = 3;
/** One may be chance. An answer that is given by heart has what is asked and what is answered. */
const FEWEST = 2;

/**
 * Values of the hidden tests that stand in what the agent wrote, and nowhere in what it was given or in the reference
 * solution. Pure.
 */
export function judgeLiterals(given: {
  patch: string;
  /** Texts of the verifier's files. */
  tests: readonly string[];
  /** The instruction, the image's files and the solution: a value of these is no answer by heart. */
  known: readonly string[];
}): IntegrityFlag[] {
  const hidden = new Set(given.tests.flatMap(literalsOf));
  for (const one of given.known.flatMap(literalsOf)) hidden.delete(one);
  const found = new Map<string, string>();
  for (const { path, line } of addedLines(given.patch))
    if (!isTestFile(path))
      for (const one of literalsOf(line.slice(1)))
        if (hidden.has(one)) found.set(one, `${path}: ${one} is in the hidden tests`);
  if (found.size < FEWEST) return [];
  return [{ kind: "special-cased", evidence: boundedEvidence([...found.values()]) }];
}

/** Texts without their quotation marks, lists and long numbers, each without white space. Pure. */
function literalsOf(text: string): string[] {
  const texts = quotedTexts(text).map((one) => one.replace(/\s+/g, " "));
  const numbers = [...text.matchAll(NUMBERS)].map(([one]) => one);
  return [
    ...texts.filter(isTelling),
    ...listsOf(text),
    ...numbers.filter((one) => one.replace(/\D/g, "").length >= DIGITS_OF_A_NUMBER),
  ];
}

/** What stands between quotation marks of one line. */
function quotedTexts(text: string): string[] {
  const texts: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark !== '"' && mark !== "'") continue;
    const end = endOfQuoted(text, at + 1, mark);
    if (end === null) continue;
    texts.push(text.slice(at + 1, end));
    at = end;
  }
  return texts;
}

/** Where the closing mark stands; null where the text is too short, too long or goes on over its line's end. */
function endOfQuoted(text: string, from: number, mark: string): number | null {
  let at = from;
  for (let characters = 0; characters <= LONGEST_TEXT && at < text.length; characters++) {
    if (text[at] === mark) return characters < SHORTEST_TEXT ? null : at;
    if (text[at] === "\n" || (text[at] === "\\" && text[at + 1] === "\n")) return null;
    at += text[at] === "\\" ? 2 : 1;
  }
  return null;
}

/** A single word is a name, and names of things are known to both sides. */
const isTelling = (text: string) => !/^[\w./-]*$/.test(text) || /\d{3}/.test(text);

/** What stands in brackets, those within others too, where it is values alone. */
function listsOf(text: string): string[] {
  const open: number[] = [];
  const lists: string[] = [];
  for (const { 0: bracket, index } of text.matchAll(/[[\](){}]/g)) {
    if ("[({".includes(bracket)) {
      open.push(index);
      continue;
    }
    const from = open.pop();
    if (from === undefined || index - from > LONGEST_LIST) continue;
    const inner = text.slice(from + 1, index);
    if (VALUES.test(inner) && inner.split(",").length >= VALUES_OF_A_LIST)
      lists.push(inner.replace(/\s+/g, ""));
  }
  return lists;
}
