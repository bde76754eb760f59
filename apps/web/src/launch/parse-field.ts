import { readHydraCollection } from "@liverl/contract/hydra-value";
import { parse } from "yaml";
import type { LaunchField } from "#launch/fields/launch-field.ts";
import type { SpecValue } from "#launch/spec-value.ts";

/**
 * What the text of a field stands for. Text that is none of its kind stays text, so that the check says what is wrong
 * with it and nothing that was typed is lost.
 */
export function parseField(field: LaunchField, text: string): SpecValue {
  if (field.kind === "lines")
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  if (field.kind === "pairs") return parsePairs(text, field.path === "env");
  const trimmed = text.trim();
  if (field.nullable && trimmed === "") return null;
  if (field.kind !== "number") return text;
  if (trimmed === "") return "";
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

/** `key=value` a line. The text itself when a line is none, so that the check says so. */
function parsePairs(text: string, isText: boolean): SpecValue {
  const pairs: Record<string, SpecValue> = {};
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    const key = line.slice(0, at).trim();
    if (at < 1 || Object.hasOwn(pairs, key)) return text;
    const value = line.slice(at + 1).trim();
    pairs[key] = isText ? readText(value) : readValue(value);
  }
  return pairs;
}

/** A variable's text as it stands; in double quotes as JSON, for what a line can not hold. */
function readText(text: string): string {
  const value = text.startsWith('"') ? readValue(text) : text;
  return typeof value === "string" ? value : text;
}

/** A scalar or a list of YAML, or a map as JSON or Hydra has it; Hydra's `True` and `null` are YAML's too. Else it is text. */
function readValue(text: string): SpecValue {
  if (text.startsWith("{")) return readMap(text);
  try {
    const value: unknown = parse(text, { logLevel: "silent" });
    const isKnown =
      value === null ||
      Array.isArray(value) ||
      ["string", "number", "boolean"].includes(typeof value);
    return isKnown && text !== "" ? (value as SpecValue) : text;
  } catch {
    return text;
  }
}

function readMap(text: string): SpecValue {
  try {
    return JSON.parse(text) as SpecValue;
  } catch {
    return readHydraCollection(text) ?? text;
  }
}

/** A value as its field shows it. Very small numbers keep the exponent form that people type. */
export function fieldText(value: unknown, field?: LaunchField): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") {
    return value !== 0 && Math.abs(value) < 1e-3
      ? value.toExponential().replace("e+", "e")
      : String(value);
  }
  if (Array.isArray(value)) return value.map(String).join("\n");
  if (typeof value === "object") {
    const read = field?.path === "env" ? readText : readValue;
    return Object.entries(value)
      .map(([key, each]) => `${key}=${pairText(each, read)}`)
      .join("\n");
  }
  return String(value);
}

/** Text that would be read as something else, or on several lines, stands in quotes. */
function pairText(value: unknown, read: (text: string) => SpecValue): string {
  const isPlain =
    typeof value === "string" &&
    value === value.trim() &&
    !value.includes("\n") &&
    read(value) === value;
  return isPlain ? value : JSON.stringify(value);
}
