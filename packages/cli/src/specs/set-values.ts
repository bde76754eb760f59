import { parse } from "yaml";
import { CliError, EXIT } from "#exit-code.ts";

type Values = Record<string, unknown>;
/** Maps whose keys may have dots in them: what follows is one key. */
const OPEN_MAPS = new Set(["overrides", "env"]);

/** A spec with `path=value` words put in, `batch.n=8`; a value is read as YAML reads it. */
export function setValues(spec: object, words: readonly string[]): object {
  const changed = structuredClone(spec) as Values;
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw new CliError(EXIT.usage, `--set ${word}: give path=value, as batch.n=8.`);
    put(changed, splitPath(word.slice(0, at)), readValue(word.slice(at + 1), word));
  }
  return changed;
}

function splitPath(path: string): string[] {
  const [first = "", ...rest] = path.split(".");
  return OPEN_MAPS.has(first) && rest.length > 0 ? [first, rest.join(".")] : [first, ...rest];
}

function readValue(text: string, word: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new CliError(EXIT.usage, `--set ${word}: the value is not YAML: put it in quotes.`, {
      cause,
    });
  }
}

function put(values: Values, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    // Own, whatever its name: `__proto__` is a key like any other, and the schema refuses it.
    Object.defineProperty(values, key, {
      ...{ value, enumerable: true, writable: true, configurable: true },
    });
    return;
  }
  const inner = Object.hasOwn(values, key) ? values[key] : undefined;
  const map = typeof inner === "object" && inner !== null ? (inner as Values) : {};
  if (map !== inner) put(values, [key], map);
  put(map, rest, value);
}
