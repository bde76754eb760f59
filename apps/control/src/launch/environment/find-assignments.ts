import { forEachChild, parse, type SyntaxNode } from "unbash";
import { isTooDeep } from "#launch/environment/bash/run-script.ts";

/** A `key.of.config=value` that stands in a script, whether bash gets there or not. */
export interface Written {
  name: string;
  /** Where the key begins. */
  at: number;
  end: number;
  /** Start of the statement around it. */
  statement: number;
  /** Starts of the statements around that one, innermost first. */
  around: readonly number[];
  /** Name of the function that it stands in. */
  ofFunction: string | null;
  /** Name of the variable that it is assigned to. */
  variable: string | null;
  /** It stands where a command's name stands. */
  isCommand: boolean;
  /** Where the innermost `if`, `case` or loop around it begins. */
  branch: number | null;
}

const KEY = /(?<=^|[\s"'(\n])([+~]{0,2}[A-Za-z_]\w*[.@/][\w@/.-]*)=(?!=)/g;
const PREFIXED = /(?<=^|[\s"'(\n])([+~]{1,2}[A-Za-z_]\w*)=(?!=)/g;
const MAX_FOUND = 5_000;
const MAX_DEPTH = 200;

interface Place {
  statement: number;
  around: readonly number[];
  ofFunction: string | null;
  variable: string | null;
  isCommand: boolean;
  branch: number | null;
}

export interface AssignedVariable {
  name: string;
  at: number;
  statement: number;
}

/** Everything in a script that reads as an override, and the variables it assigns, in order. Pure. */
export function findWritten(script: string): {
  overrides: Written[];
  variables: AssignedVariable[];
} {
  const overrides: Written[] = [];
  const variables: AssignedVariable[] = [];
  const add = (from: number, to: number, place: Place) => {
    const text = script.slice(from, to);
    for (const pattern of [KEY, PREFIXED])
      for (const match of text.matchAll(pattern)) {
        if (overrides.length >= MAX_FOUND) return;
        const at = from + match.index;
        if (seen.has(at)) continue;
        seen.add(at);
        overrides.push({ ...place, name: match[1] ?? "", at, end: at + match[0].length });
      }
  };
  const seen = new Set<number>();
  const visit = (node: SyntaxNode, place: Place, depth: number): void => {
    if (depth > MAX_DEPTH || overrides.length >= MAX_FOUND) return;
    if (node.type === "Word") {
      add(node.pos, node.end, place);
      return;
    }
    if (node.type === "HereDocBody") {
      add(node.pos, node.end, place);
      return;
    }
    if (node.type === "Assignment")
      variables.push({ name: node.name, at: node.pos, statement: place.statement });
    const inner = placeIn(node, place);
    forEachChild(node, (child) => {
      const isCommand = node.type === "Command" && child === node.name;
      visit(child, isCommand ? { ...inner, isCommand } : inner, depth + 1);
    });
  };
  const top: Place = {
    ...{ statement: -1, around: [], ofFunction: null },
    ...{ variable: null, isCommand: false, branch: null },
  };
  visit(parse(isTooDeep(script) ? "" : script), top, 0);
  return { overrides, variables };
}

function placeIn(node: SyntaxNode, place: Place): Place {
  switch (node.type) {
    case "Statement":
      return {
        ...place,
        statement: node.pos,
        around: [place.statement, ...place.around].slice(0, 50),
      };
    case "Function":
      return { ...place, ofFunction: node.name.value };
    case "Assignment":
      return { ...place, variable: node.name };
    case "If":
    case "Case":
    case "For":
    case "While":
      return { ...place, branch: node.pos };
    default:
      return place;
  }
}
