import type { OverrideValue } from "@liverl/contract/override-value";
import { TemplateValues } from "@liverl/contract/trajectory";
import type { VerlSpec } from "@liverl/contract/verl-launch";

const KEY = "data.apply_chat_template_kwargs";

/** What verl's `data.apply_chat_template_kwargs` says, for the proxy: it renders the prompts, not verl. */
export interface RunTemplateValues {
  /** Undefined where the run sets none. */
  values: TemplateValues | undefined;
  /** Paths of overrides that hold no string, number or boolean. */
  unread: string[];
}

export function templateValuesOf({ overrides }: Pick<VerlSpec, "overrides">): RunTemplateValues {
  const values: TemplateValues = {};
  const unread: string[] = [];
  for (const [written, value] of Object.entries(overrides)) {
    if (written.startsWith("~")) continue;
    const key = written.replace(/^\+{1,2}/, "");
    if (key !== KEY && !key.startsWith(`${KEY}.`)) continue;
    const name = key.slice(KEY.length + 1);
    const found = TemplateValues.safeParse(name === "" ? asMap(value) : { [name]: value });
    if (found.success) Object.assign(values, found.data);
    else unread.push(`overrides.${written}`);
  }
  return { values: Object.keys(values).length > 0 ? values : undefined, unread };
}

/** A map, or its text as JSON or in Hydra's grammar: `{enable_thinking:false}`. */
function asMap(value: OverrideValue): unknown {
  if (value === null) return {};
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    // Hydra's grammar, below.
  }
  const inner = /^\{(.*)\}$/s.exec(value.trim())?.[1];
  if (inner === undefined) return value;
  const pairs = inner.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf(":");
      return [unquoted(pair.slice(0, at)), scalarOf(pair.slice(at + 1).trim())];
    }),
  );
}

function scalarOf(text: string): string | number | boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : unquoted(text);
}

const unquoted = (text: string) => text.trim().replace(/^(['"])(.*)\1$/s, "$2");
