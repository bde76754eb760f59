import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseDocument } from "yaml";
import type { z } from "zod";
import { faultsTogether } from "#config/faults-together.ts";
import { ALLOWED, ProxySettings, type SettingName, TEXT_SETTINGS } from "#config/proxy-settings.ts";
import { SettingsError } from "#config/settings-error.ts";

const NAMES = Object.keys(ALLOWED);
/** Never shown, whatever is wrong with it. */
const SECRET = "adminToken";

/** `maxBodyMb` → `PROXY_MAX_BODY_MB`. */
export const variableOf = (name: string) =>
  `PROXY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/**
 * Settings of a YAML file and of variables, which win. Paths come back absolute. Throws SettingsError: one line for
 * each fault, naming the setting, its value and what is allowed.
 */
export function loadSettings(
  configPath: string | null,
  variables: Readonly<Record<string, string>>,
): ProxySettings {
  const file = configPath === null ? {} : readConfig(configPath);
  const { values, faults } = readVariables(variables);
  if (faults.length > 0) throw new SettingsError(faults);
  const given: Record<string, unknown> = { ...file, ...values };
  const parsed = ProxySettings.safeParse(given);
  if (!parsed.success)
    throw new SettingsError(parsed.error.issues.flatMap((issue) => linesOf(issue, given, values)));
  const settings = parsed.data;
  const together = faultsTogether(settings);
  if (together.length > 0) throw new SettingsError(together);
  return {
    ...settings,
    dataDir: resolve(settings.dataDir),
    pools: settings.pools.map((pool) => ({ ...pool, modelDir: resolve(pool.modelDir) })),
  };
}

function readConfig(path: string): Record<string, unknown> {
  const document = parseDocument(readConfigText(path));
  const [error] = document.errors;
  if (error) throw new SettingsError([`${path} is not YAML: ${oneLine(error.message)}`]);
  const content: unknown = document.toJS();
  if (content === null) return {};
  if (typeof content !== "object" || Array.isArray(content))
    throw new SettingsError([`${path} must hold settings as "name: value" lines.`]);
  return Object.fromEntries(Object.entries(content));
}

function readConfigText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingsError([
      `--config ${path} can not be read: ${error instanceof Error ? oneLine(error.message) : "unknown"}`,
    ]);
  }
}

function readVariables(variables: Readonly<Record<string, string>>): {
  values: Record<string, unknown>;
  faults: string[];
} {
  const byVariable = new Map(NAMES.map((name) => [variableOf(name), name]));
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [variable, text] of Object.entries(variables)) {
    const name = byVariable.get(variable);
    if (name === undefined) faults.push(unknownLine(variable, [...byVariable.keys()]));
    else if (TEXT_SETTINGS.has(name)) values[name] = text;
    else {
      const read = readJson(text);
      // What is plain wrong, such as PROXY_PORT=http, reads best in the words of its own setting.
      if (read.why !== null && name === "pools")
        faults.push(
          `${variable}: ${shown(text)} is not JSON (${read.why}). Allowed: ${ALLOWED.pools}.`,
        );
      values[name] = read.why === null ? read.value : text;
    }
  }
  return { values, faults };
}

function readJson(text: string): { value: unknown; why: string | null } {
  try {
    return { value: JSON.parse(text), why: null };
  } catch (error) {
    return { value: null, why: error instanceof Error ? oneLine(error.message) : "unreadable" };
  }
}

function linesOf(
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, unknown>>,
  fromVariables: Readonly<Record<string, unknown>>,
): string[] {
  const [first, ...rest] = issue.path;
  if (issue.code === "unrecognized_keys" && first === undefined)
    return issue.keys.map((key) => unknownLine(key, NAMES));
  const name = String(first);
  const place = rest.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  const label = (name in fromVariables ? variableOf(name) : name) + place.join("");
  if (issue.code === "unrecognized_keys")
    return issue.keys.map(
      (key) => `${label}: ${shown(key)} is unknown. Allowed: ${allowed(name)}.`,
    );
  // A schema may have looked inside what was given as plain text: then the text is what is wrong.
  const value = issue.path.reduce<unknown>(
    (at, step) => (isRecord(at) ? at[String(step)] : at),
    given,
  );
  if (value === undefined) return [`${label} is missing. Needed: ${allowed(name)}.`];
  const what = name === SECRET ? "its value (not shown)" : shown(value);
  // What is wrong inside a pool is said by the pool's own rule, too.
  const why = rest.length > 0 ? ` (${oneLine(issue.message)})` : "";
  return [`${label}: ${what} is not allowed${why}. Allowed: ${allowed(name)}.`];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isSettingName = (name: string): name is SettingName => Object.hasOwn(ALLOWED, name);
const allowed = (name: string) => (isSettingName(name) ? ALLOWED[name] : "");
const oneLine = (text: string) => text.split("\n")[0]?.trim().replace(/[.:]$/, "") ?? "";

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function unknownLine(name: string, known: readonly string[]): string {
  return `${name} is unknown. Allowed: ${known.join(", ")}.`;
}
