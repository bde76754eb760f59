import { hydraScalar, readHydraCollection } from "@liverl/contract/hydra-value";
import type { EnvironmentReading } from "@liverl/contract/launch";
import { AgentChoice, AgentName } from "@liverl/contract/proxy-admin";
import { trimEnd } from "@liverl/contract/trim-end";
import type { VerlMode } from "@liverl/contract/verl-launch";
import { VERL_MODULES } from "#drivers/verl/build-verl-overrides.ts";
import { withValue } from "#launch/effective-spec.ts";
import {
  ENVIRONMENT_ELSEWHERE,
  ENVIRONMENT_NAMES,
  ENVIRONMENT_OF_SHELL,
  ENVIRONMENT_PASSED,
  OWN_KEYS,
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
export function specFromEnvironment({
  values: env,
  unread,
  exported = [],
  modules = [],
}: Pick<ShellReading, "values" | "unread"> & Partial<ShellReading>): EnvironmentReading {
  const reading: EnvironmentReading = { values: [], notes: [] };
  const isExported = new Set(exported);
  readTrainer(reading, env, modules);
  for (const [name, text] of Object.entries(env)) {
    if (READ_TOGETHER.has(name)) continue;
    readOne(reading, { name, text, isExported: isExported.has(name) });
  }
  readCheckout(reading, env);
  readAgent(reading, env);
  for (const [name, expansion] of Object.entries(unread))
    if (isKnown(name) || (isExported.has(name) && !ENVIRONMENT_OF_SHELL.test(name)))
      reading.notes.push({
        name,
        message: elsewhereOf(name) ?? `only the shell knows ${expansion}: fill it in`,
      });
  readFilesOverFolders(reading);
  // A script names a value first and then passes it on: the last word on a field counts.
  const last = new Map(reading.values.map((value) => [value.path, value]));
  return { ...reading, values: [...last.values()] };
}

/** Of names that say nothing here, as a script has many, nobody wants to know what is not known of them. */
const isKnown = (name: string) =>
  name.includes(".") || NAMES.has(name.toLowerCase()) || READ_TOGETHER.has(name);

function readOne(
  reading: EnvironmentReading,
  { name, text, isExported }: { name: string; text: string; isExported: boolean },
): void {
  const note = (message: string) => reading.notes.push({ name, message });
  const isKey = name.includes(".");
  const bare = name.replace(/^[+~]+/, "");
  const field = (isKey ? FIELD_OF_KEY.get(bare) : undefined) ?? NAMES.get(bare.toLowerCase());
  if (field !== undefined && !name.startsWith("~")) {
    const value = fitting(field, text);
    if (value === undefined) note(`${field} does not take ${text || "nothing"}`);
    else reading.values.push({ path: field, value, name });
    return;
  }
  if (isKey) {
    const own = elsewhereOf(name);
    if (own !== undefined) note(own);
    else if (name.startsWith("~"))
      note("takes a key out of verl's config: write it in the overrides");
    else
      reading.values.push({
        path: `overrides.${name}`,
        value: readHydraCollection(text) ?? hydraScalar(text),
        name,
      });
    return;
  }
  const elsewhere = elsewhereOf(name);
  if (elsewhere !== undefined) note(elsewhere);
  else if (ENVIRONMENT_OF_SHELL.test(name))
    note("is the shell's own, and differs where the run is");
  else if (ENVIRONMENT_PASSED.test(name) || isExported)
    reading.values.push({ path: `env.${name}`, value: asList(name, text), name });
  else note("is not known here, and the script does not export it");
}

/** Why a name that is known has no place in a spec; undefined where it has one, or is not known. */
function elsewhereOf(name: string): string | undefined {
  const bare = name.replace(/^[+~]+/, "");
  const known = bare.includes(".") ? OWN_KEYS : ENVIRONMENT_ELSEWHERE;
  return known.find(([pattern]) => pattern.test(bare))?.[1];
}

/** A script that names data files means them: a folder of tasks, which goes before files, would put them aside. */
function readFilesOverFolders({ values }: EnvironmentReading): void {
  const named = (path: string) => values.find((each) => each.path === path);
  for (const split of ["train", "val"]) {
    const files = named(`data.${split}_files`);
    const folder = `data.${split}_harbor_dir`;
    if (files && !named(folder)) values.push({ path: folder, value: null, name: files.name });
  }
}

/** `/a:$PYTHONPATH` of a shell in which it is unset. */
const asList = (name: string, text: string) =>
  /PATH$/.test(name) ? trimEnd(text.replace(/^:+/, ""), ":") : text;

const MODE_OF_MODULE = new Map<string, VerlMode>([
  [VERL_MODULES.sync, "sync"],
  [VERL_MODULES.one_step_off, "one_step_off"],
  [VERL_MODULES.fully_async, "fully_async"],
]);

/** Which trainer a script runs is said by its module, by `trainer.use_v1` and by `trainer.v1.trainer_mode`. */
function readTrainer(
  { values }: EnvironmentReading,
  env: Record<string, string>,
  modules: readonly string[],
): void {
  for (const module of modules) {
    const mode = MODE_OF_MODULE.get(module);
    if (mode === undefined) continue;
    const isV0 = mode === "sync" && hydraScalar(env["trainer.use_v1"] ?? "") === false;
    values.push({ path: "algorithm.trainer_mode", value: isV0 ? "v0" : mode, name: module });
  }
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

/** A name of `null` leaves the agent to HARBOR_AGENT_IMPORT_PATH, as in verl's recipes. Which of the two counts is said. */
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
  const isFit = AgentChoice.safeParse(importPath).success;
  if (!isNamed && isFit)
    values.push({ path: "rollout.agent", value: importPath, name: "HARBOR_AGENT_IMPORT_PATH" });
  else
    notes.push({
      name: "HARBOR_AGENT_IMPORT_PATH",
      message: isNamed
        ? "HARBOR_AGENT_NAME goes before it"
        : `rollout.agent does not take ${importPath}: it is module.path:ClassName`,
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
  if (!field.includes(".")) return slugOf(text);
  const flag = FLAGS[text.trim().toLowerCase()];
  const candidates: Value[] = [
    hydraScalar(text),
    text,
    list,
    ...(flag === undefined ? [] : [flag]),
  ];
  return candidates.find((value) => withValue(LOCAL_VERL_DEFAULTS, field, value) !== null);
}

/** A name as a run or project may have it; undefined where nothing of it is left. */
function slugOf(text: string): string | undefined {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 63);
  return slug === "" ? undefined : slug;
}
