import { splitPath } from "@liverl/contract/spec/split-path";
import { isCollection, isScalar, LineCounter, parseDocument, stringify } from "yaml";
import type { SpecValue } from "#launch/spec-value.ts";

export interface ParsedYaml {
  /** The document as plain values; null when it does not parse. */
  spec: unknown;
  /** Line is 1-based. */
  fault: { message: string; line: number } | null;
  /** Dotted path → line (1-based) on which its value stands. */
  lines: ReadonlyMap<string, number>;
}

/** Writes a spec as the YAML text that the form starts from. */
export function writeYaml(spec: unknown): string {
  return stringify(spec, { lineWidth: 0 });
}

/** Reads YAML 1.2 text. Duplicate keys are faults, as they would lose a value. */
export function readYaml(text: string): ParsedYaml {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = error.linePos?.[0].line ?? 1;
    return { spec: null, fault: { message: firstLine(error.message), line }, lines: new Map() };
  }
  let spec: unknown;
  try {
    spec = document.toJS({ maxAliasCount: 20 });
  } catch (thrown) {
    // An alias of nothing, or of too much, is found only when values are made.
    const message = thrown instanceof Error ? firstLine(thrown.message) : String(thrown);
    return { spec: null, fault: { message, line: 1 }, lines: new Map() };
  }
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) {
    return {
      spec: null,
      fault: { message: "The document must be a map of keys to values.", line: 1 },
      lines: new Map(),
    };
  }
  const lines = new Map<string, number>();
  collectLines(spec, [], (keys) => {
    const node = document.getIn(keys, true);
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : null;
    if (Array.isArray(range) && typeof range[0] === "number")
      lines.set(keys.join("."), counter.linePos(range[0]).line);
  });
  return { spec, fault: null, lines };
}

/**
 * Text with one value changed. Everything else, comments and spelling included, stays byte for byte.
 * A number is written as it was typed, so that `1e-3` stays `1e-3`.
 */
export function setInYaml(text: string, path: string, value: SpecValue, typed?: string): string {
  const keys = splitPath(path);
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  const isLeaf = typeof value !== "object" || value === null;
  const written =
    typeof value === "number" && typed !== undefined
      ? typed.trim()
      : stringify(value, { lineWidth: 0 }).trimEnd();
  const node = document.getIn(keys, true);
  if (isLeaf && isScalar(node) && node.range && node.range[1] > node.range[0]) {
    return text.slice(0, node.range[0]) + written + text.slice(node.range[1]);
  }
  // `optim:` with nothing behind it is null, which can hold no key.
  for (let depth = 1; depth < keys.length; depth += 1) {
    const parent = keys.slice(0, depth);
    if (document.hasIn(parent) && !isCollection(document.getIn(parent)))
      document.setIn(parent, document.createNode({}));
  }
  document.setIn(keys, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

/** Text without the value at a path; where there is none, the text as it is. */
export function removeInYaml(text: string, path: string): string {
  const keys = splitPath(path);
  const document = parseDocument(text);
  if (document.errors.length > 0 || !document.hasIn(keys)) return text;
  document.deleteIn(keys);
  return document.toString({ lineWidth: 0 });
}

function collectLines(value: unknown, keys: string[], add: (keys: string[]) => void): void {
  if (keys.length > 0) add(keys);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) collectLines(inner, [...keys, key], add);
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
}
