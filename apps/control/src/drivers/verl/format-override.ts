import type { OverrideValue } from "@liverl/contract/override-value";
import { trimEnd } from "@liverl/contract/trim-end";

/** Characters that Hydra's grammar takes in a value without quotes. */
const PLAIN = /^[A-Za-z_/.][A-Za-z0-9_/.@%+:-]*$/;
/** What Hydra would read as something else than a string. */
const OTHER = /^(null|true|false|yes|no|on|off|nan|inf)$/i;

/** `key=value` as Hydra's override grammar has it (hydra.cc, "Override grammar"); not quoted for a shell. */
export function formatOverride(key: string, value: OverrideValue): string {
  return `${key}=${formatValue(value)}`;
}

function formatValue(value: OverrideValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(formatValue).join(",")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, each]) => `${key}:${formatValue(each)}`);
    return `{${pairs.join(",")}}`;
  }
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  return PLAIN.test(value) && !OTHER.test(value) ? value : quote(value);
}

/** In double quotes only these are special; a backslash counts only before a quote, or where it ends the text. */
function quote(text: string): string {
  const doubled = (part: string) => part + part.slice(trimEnd(part, "\\").length);
  return `"${text.split('"').map(doubled).join('\\"')}"`;
}
