import { hydraScalar, readHydraCollection } from "@liverl/contract/hydra-value";
import type { EnvironmentReading } from "@liverl/contract/launch";
import { AgentName } from "@liverl/contract/proxy-admin";
import { withValue } from "#launch/effective-spec.ts";
import {
  ENVIRONMENT_ELSEWHERE,
  ENVIRONMENT_NAMES,
  ENVIRONMENT_PASSED,
} from "#launch/environment/environment-names.ts";
import type { ShellReading } from "#launch/environment/parse-shell.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { VERL_KEYS } from "#launch/verl-keys.ts";

type Value = EnvironmentReading["values"][number]["value"];

const FIELD_OF_KEY = new Map(
  Object.entries(VERL_KEYS).flatMap(([field, keys]) => keys.map((key) => [key as string, field])),
);
const READ_TOGETHER = new Set([
  "USE_NEW_VERL",
  "NEW_VERL_DIR",
  "HARBOR_AGENT_NAME",
  "HARBOR_AGENT_IMPORT_PATH",
]);
const NAMES = new Map(Object.entries(ENVIRONMENT_NAMES));

/**
 * What variables of a launch script say in a spec's own words. A name that is known and has no place in a spec, one that
 * is not known, and a value that does not fit each get a line. Pure.
 */
export function specFromEnvironment({ values: env, unread }: ShellReading): EnvironmentReading {
  const reading: EnvironmentReading = { values: [], notes: [] };
  for (const [name, text] of Object.entries(env)) {
    if (READ_TOGETHER.has(name)) continue;
    readOne(reading, name, text);
  }
  readCheckout(reading, env);
  readAgent(reading, env);
  for (const [name, expansion] of Object.entries(unread))
    if (isKnown(name))
      reading.notes.push({ name, message: `only the shell knows ${expansion}: fill it in` });
  // A script names a value first and then passes it on: the last word on a field counts.
  const last = new Map(reading.values.map((value) => [value.path, value]));
  return { ...reading, values: [...last.values()] };
}

/** Of names that say nothing here, as a script has many, nobody wants to know what is not known of them. */
const isKnown = (name: string) =>
  name.includes(".") || NAMES.has(name.toLowerCase()) || READ_TOGETHER.has(name);

function readOne(reading: EnvironmentReading, name: string, text: string): void {
  const note = (message: string) => reading.notes.push({ name, message });
  const isKey = name.includes(".");
  const field = isKey ? FIELD_OF_KEY.get(name.replace(/^\++/, "")) : NAMES.get(name.toLowerCase());
  if (field !== undefined) {
    const value = fitting(field, text);
    if (value === undefined) note(`${field} does not take ${text || "nothing"}`);
    else reading.values.push({ path: field, value, name });
    return;
  }
  if (isKey) {
    if (name.startsWith("~")) note("takes a key out of verl's config: write it in the overrides");
    else
      reading.values.push({
        path: `overrides.${name}`,
        value: readHydraCollection(text) ?? hydraScalar(text),
        name,
      });
    return;
  }
  const elsewhere = ENVIRONMENT_ELSEWHERE.find(([pattern]) => pattern.test(name));
  if (elsewhere) note(elsewhere[1]);
  else if (ENVIRONMENT_PASSED.test(name))
    reading.values.push({ path: `env.${name}`, value: text, name });
  else note("is not known here");
}

/** USE_NEW_VERL=1 puts NEW_VERL_DIR before the installed verl on PYTHONPATH, which is verl.path. */
function readCheckout({ values, notes }: EnvironmentReading, env: Record<string, string>): void {
  const { USE_NEW_VERL: use, NEW_VERL_DIR: folder } = env;
  if (use === undefined && folder === undefined) return;
  if (use !== undefined && (use === "" || FLAGS[use.toLowerCase()] === false))
    values.push({ path: "verl.path", value: null, name: "USE_NEW_VERL" });
  else if (folder) values.push({ path: "verl.path", value: folder, name: "NEW_VERL_DIR" });
  else
    notes.push({
      name: "USE_NEW_VERL",
      message: "says that a checkout is used; NEW_VERL_DIR must say which",
    });
}

/** A name of `null` leaves the agent to HARBOR_AGENT_IMPORT_PATH, as in verl's recipes; only agents of LiveRL run. */
function readAgent({ values, notes }: EnvironmentReading, env: Record<string, string>): void {
  const { HARBOR_AGENT_NAME: name, HARBOR_AGENT_IMPORT_PATH: importPath } = env;
  const isNamed = name !== undefined && hydraScalar(name) !== null && name !== "";
  const known = AgentName.options.join(", ");
  if (isNamed && AgentName.safeParse(name).success)
    values.push({ path: "rollout.agent", value: name, name: "HARBOR_AGENT_NAME" });
  else if (isNamed)
    notes.push({
      name: "HARBOR_AGENT_NAME",
      message: `rollout.agent does not take ${name}: it has ${known}`,
    });
  if (!importPath || hydraScalar(importPath) === null) return;
  notes.push({
    name: "HARBOR_AGENT_IMPORT_PATH",
    message: isNamed
      ? "HARBOR_AGENT_NAME goes before it"
      : `would be the agent, but classes of Python can not run here: choose rollout.agent (${known})`,
  });
}

/** Words of scripts for yes and no, beside those of YAML. */
const FLAGS: Record<string, boolean> = {
  ...{ "1": true, true: true, yes: true, on: true },
  ...{ "0": false, false: false, no: false, off: false },
};

/** The text as the field's schema takes it; undefined where it does not. */
function fitting(field: string, text: string): Value | undefined {
  const list = text
    .replace(/^\[(.*)\]$/s, "$1")
    .split(",")
    .map((item) => item.trim().replace(/^["'](.*)["']$/, "$1"))
    .filter((item) => item !== "");
  const flag = FLAGS[text.trim().toLowerCase()];
  const candidates: Value[] = [
    hydraScalar(text),
    text,
    list,
    ...(flag === undefined ? [] : [flag]),
  ];
  return candidates.find((value) =>
    field.includes(".")
      ? withValue(LOCAL_VERL_DEFAULTS, field, value) !== null
      : typeof value === "string" && /^[a-z0-9][a-z0-9._-]{0,62}$/.test(value),
  );
}
