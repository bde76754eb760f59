import type { LosslessValue } from "#json/parse-lossless.ts";

/**
 * One text for all JSON texts that mean the same: keys sorted, spaces gone, numbers by value
 * (a client that parsed and wrote again may have turned `1.0` into `1` or rounded 2^53 + 1).
 */
export function canonicalJson(value: LosslessValue): string {
  switch (value.kind) {
    case "object": {
      const last = new Map(value.entries);
      const keys = [...last.keys()].sort();
      return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(last.get(key) ?? value)}`).join(",")}}`;
    }
    case "array":
      return `[${value.elements.map(canonicalJson).join(",")}]`;
    case "string":
      return JSON.stringify(value.value);
    case "number":
      return String(Number(value.text));
    case "literal":
      return String(value.value);
  }
}

/** The same for a value that is already parsed. */
export function canonicalOfParsed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalOfParsed).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalOfParsed(inner)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
