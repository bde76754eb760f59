import { hydraScalar, readHydraCollection } from "@liverl/contract/hydra-value";
import type { OverrideValue } from "@liverl/contract/override-value";
import { AgentChoice, AgentName } from "@liverl/contract/proxy-admin";
import type { VerlMode, VerlSpec } from "@liverl/contract/verl-launch";
import { isOfEngine, withValue } from "#launch/effective-spec.ts";
import { plain, show, type Text, unknownsOf } from "#launch/environment/bash/text.ts";
import {
  ADAPTER_NAMES,
  ENVIRONMENT_ELSEWHERE,
  ENVIRONMENT_NAMES,
  ENVIRONMENT_OF_SHELL,
  ENVIRONMENT_PASSED,
  OWN_KEYS,
} from "#launch/environment/environment-names.ts";
import { LOCAL_VERL_DEFAULTS } from "#launch/verl-defaults.ts";
import { VERL_KEYS } from "#launch/verl-keys.ts";

/** A name with a value, and where in the text it stands. */
export interface Entry {
  name: string;
  value: Text;
  at: number;
}

export interface SpecValue {
  path: string;
  value: OverrideValue;
  name: string;
  at: number;
}

export interface SpecNote {
  name: string;
  at: number;
  message: string;
  isMinor: boolean;
  /** The choice that the value depends on. */
  choice?: string;
}

export interface SpecReading {
  values: SpecValue[];
  notes: SpecNote[];
}

/** What a script gives to a run. */
export interface Entries {
  /** The training program's mode; null: no program is known, and names of variables count by themselves. */
  mode: VerlMode | null;
  module: Entry | null;
  configName: Entry | null;
  overrides: readonly Entry[];
  /** Variables that the training program gets. */
  exported: readonly Entry[];
  /** Variables of the script alone. */
  variables: readonly Entry[];
}

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
const SECRET = /(?:TOKEN|SECRET|PASSWORD|API_KEY|CREDENTIALS?)$/;

const bareName = (name: string) => name.replace(/^[+~]{1,2}/, "");

/** The same in a spec's own words. What has no place in a spec gets a line that says why. Pure. */
export function specFromEntries(entries: Entries): SpecReading {
  const reading: SpecReading = { values: [], notes: [] };
  // verl trains with FSDP where nobody says more.
  const engine = readEngine(reading, entries) ?? (entries.mode === null ? null : "fsdp");
  readTrainer(reading, entries);
  for (const entry of entries.exported) readVariable(reading, entry, true, entries.mode !== null);
  for (const entry of entries.variables) readVariable(reading, entry, false, false);
  const overrides = lastOfEach(reading, entries.overrides);
  for (const entry of overrides) readOverride(reading, entry, engine, entries.mode !== null);
  readCheckout(reading, [...entries.variables, ...entries.exported]);
  readAgent(reading, [...entries.variables, ...entries.exported]);
  readFilesOverFolders(reading);
  // A script names a value first and then passes it on: the last word on a field counts.
  const last = new Map(reading.values.map((value) => [value.path, value]));
  for (const { path, value, name, at } of reading.values) {
    const counts = last.get(path);
    if (counts && counts.at !== at && JSON.stringify(counts.value) !== JSON.stringify(value))
      reading.notes.push({
        ...{ name: bareName(name), at, isMinor: true },
        message: `${path} is ${JSON.stringify(counts.value)} by ${counts.name}`,
      });
  }
  return { ...reading, values: [...last.values()] };
}

/** Hydra takes the last of several values for one key. */
function lastOfEach(reading: SpecReading, entries: readonly Entry[]): Entry[] {
  const last = new Map(entries.map((entry) => [bareName(entry.name), entry]));
  for (const entry of entries)
    if (last.get(bareName(entry.name)) !== entry)
      reading.notes.push({
        ...{ name: bareName(entry.name), at: entry.at, isMinor: true },
        message: `${show(entry.value) || "an empty value"} is replaced by a later value of the same key`,
      });
  return [...last.values()];
}

function unknownMessage(value: Text): string {
  const sources = [...new Set(unknownsOf(value).map(({ source }) => source))].slice(0, 3);
  return `${sources.join(" and ")} ${sources.length > 1 ? "are" : "is"} known only where the script runs: fill it in`;
}

function readOverride(
  reading: SpecReading,
  { name, value, at }: Entry,
  engine: VerlSpec["engine"]["name"] | null,
  isCommand: boolean,
): void {
  const bare = bareName(name);
  const note = (message: string, isMinor = false) =>
    reading.notes.push({ name: bare, at, message, isMinor });
  const take = (path: string, taken: OverrideValue) =>
    reading.values.push({ path, value: taken, name, at });
  const own = OWN_KEYS.find(([pattern]) => pattern.test(bare))?.[1];
  if (own !== undefined) return void note(own, true);
  if (name.startsWith("~"))
    return void note("takes a key out of verl's config: write it in the overrides");
  if (bare === "model_engine") return;
  const text = plain(value);
  // LiveRL finds a free name by itself.
  if (text === null) return void note(unknownMessage(value), bare === "trainer.experiment_name");
  const isKey = name.includes(".");
  const field =
    FIELD_OF_KEY.get(bare) ?? (isKey && isCommand ? undefined : NAMES.get(bare.toLowerCase()));
  const named =
    bare.startsWith("trainer.") || !isCommand ? NAMES.get(bare.toLowerCase()) : undefined;
  const target = field ?? named;
  if (target === "engine.name" && fitting(target, text) !== undefined) return;
  if (target !== undefined && engine !== null && !isOfEngine(bare, engine))
    return void note(`is of another engine: this script trains with ${engine}`, true);
  if (target !== undefined) {
    const fit = fitting(target, text);
    if (fit === undefined) note(`${target} does not take ${text || "an empty value"}`);
    else take(target, fit);
    return;
  }
  if (!isKey && !isCommand && /^[A-Za-z_]\w*$/.test(bare)) {
    readVariable(reading, { name, value, at }, false, false);
    return;
  }
  if (!/^[+~]{0,2}[A-Za-z_][A-Za-z0-9_./@-]*$/.test(name))
    return void note("is no key that an override can have: write it in the spec by hand");
  take(`overrides.${name}`, overrideValue(text));
}

/** A value as Hydra reads it. */
function overrideValue(text: string): OverrideValue {
  const collection = readHydraCollection(text);
  if (collection !== undefined) return collection;
  const [, , quoted] = /^(["'])([\s\S]*)\1$/.exec(text) ?? [];
  if (quoted !== undefined && !quoted.includes(text[0] ?? "")) return quoted;
  return hydraScalar(text);
}

function readVariable(
  reading: SpecReading,
  { name, value, at }: Entry,
  isExported: boolean,
  hasProgram: boolean,
): void {
  if (READ_TOGETHER.has(name)) return;
  const note = (message: string, isMinor = false) =>
    reading.notes.push({ name, at, message, isMinor });
  const elsewhere = ENVIRONMENT_ELSEWHERE.find(([pattern]) => pattern.test(name))?.[1];
  if (elsewhere !== undefined) return void note(elsewhere, !SECRET.test(name));
  const isOfShell = ENVIRONMENT_OF_SHELL.test(name);
  const lower = name.toLowerCase();
  const field = !hasProgram || ADAPTER_NAMES.has(lower) ? NAMES.get(lower) : undefined;
  const isPassed = ENVIRONMENT_PASSED.test(name) || isExported;
  const text = plain(value);
  if (isOfShell) return void note("is the shell's own, and differs where the run is", true);
  if (text === null) {
    if (field !== undefined || isPassed) note(unknownMessage(value));
    return;
  }
  if (field !== undefined) {
    const fit = fitting(field, text);
    if (fit === undefined) note(`${field} does not take ${text || "an empty value"}`);
    else reading.values.push({ path: field, value: fit, name, at });
  } else if (isPassed)
    reading.values.push({ path: `env.${name}`, value: asList(name, text), name, at });
  else note("is not known here, and the script does not export it", true);
}

/** A script that names data files means them: a folder of tasks, which goes before files, would put them aside. */
function readFilesOverFolders({ values }: SpecReading): void {
  const named = (path: string) => values.find((each) => each.path === path);
  for (const split of ["train", "val"]) {
    const files = named(`data.${split}_files`);
    const folder = `data.${split}_harbor_dir`;
    if (files && !named(folder)) values.push({ ...files, path: folder, value: null });
  }
}

/** `/a:$PYTHONPATH` of a shell in which it is unset. */
const asList = (name: string, text: string) => (/PATH$/.test(name) ? trimColons(text) : text);

function trimColons(text: string): string {
  let [from, to] = [0, text.length];
  while (text[from] === ":") from += 1;
  while (to > from && text[to - 1] === ":") to -= 1;
  return text.slice(from, to);
}

/** Engines of verl by the name of `model_engine`; null: a spec has no such engine. */
const MODEL_ENGINES: Record<string, VerlSpec["engine"]["name"] | null> = {
  dp: "fsdp",
  fsdp: "fsdp",
  fsdp2: "fsdp2",
  megatron: "megatron",
  veomni: "veomni",
  torchtitan: null,
  automodel: null,
};
const OWN_CONFIGS =
  /^(?:(?:fully_async_|one_step_off_)?ppo_(?:(megatron|veomni|torchtitan)_)?trainer)(?:\.ya?ml)?$/;

/** The engine that trains: of `--config-name`, of `model_engine`, of `strategy`. The last of them that says so. */
function readEngine(
  reading: SpecReading,
  { configName, overrides }: Entries,
): VerlSpec["engine"]["name"] | null {
  let engine: { name: VerlSpec["engine"]["name"]; by: Entry; key: string } | null = null;
  const take = (value: string, by: Entry, key: string) => {
    const name = MODEL_ENGINES[value.toLowerCase()];
    if (name) engine = { name, by, key };
    else
      reading.notes.push({
        ...{ name: key, at: by.at, isMinor: false },
        message: `engine.name has ${["fsdp", "fsdp2", "veomni", "megatron"].join(", ")}, and not ${value}`,
      });
  };
  if (configName) {
    const known = show(configName.value);
    const [whole, named] = OWN_CONFIGS.exec(known.slice(known.lastIndexOf("/") + 1)) ?? [];
    if (named !== undefined) take(named, configName, "--config-name");
    else if (whole === undefined)
      reading.notes.push({
        ...{ name: "--config-name", at: configName.at, isMinor: false },
        message: `${known} is another file: what it sets is not known here`,
      });
  }
  const last = new Map(overrides.map((entry) => [bareName(entry.name), entry]));
  const saying = [
    "model_engine",
    "actor_rollout_ref.actor.fsdp_config.strategy",
    "actor_rollout_ref.actor.strategy",
  ];
  for (const key of saying) {
    const entry = last.get(key);
    const value = entry ? plain(entry.value) : null;
    if (entry && value === null && key === "model_engine")
      reading.notes.push({
        name: key,
        at: entry.at,
        message: unknownMessage(entry.value),
        isMinor: false,
      });
    if (!entry || value === null || entry.name.startsWith("~")) continue;
    const isOfOther = engine !== null && key.includes("fsdp_config") && !isFsdp(engine);
    if (!isOfOther && (key === "model_engine" || value.toLowerCase() in MODEL_ENGINES))
      take(value, entry, entry.name);
  }
  const found = engine as { name: VerlSpec["engine"]["name"]; by: Entry; key: string } | null;
  if (found)
    reading.values.push({
      path: "engine.name",
      value: found.name,
      name: found.key,
      at: found.by.at,
    });
  return found?.name ?? null;
}

const isFsdp = ({ name }: { name: string }) => name === "fsdp" || name === "fsdp2";

/** Which trainer a script runs is said by its module, by `trainer.use_v1` and by `trainer.v1.trainer_mode`. */
function readTrainer({ values }: SpecReading, { mode, module, overrides }: Entries): void {
  if (mode === null || module === null) return;
  const useV1 = overrides.findLast(({ name }) => bareName(name) === "trainer.use_v1");
  const isV0 = mode === "sync" && useV1 && hydraScalar(plain(useV1.value) ?? "") === false;
  values.push({
    ...{ path: "algorithm.trainer_mode", value: isV0 ? "v0" : mode },
    ...{ name: module.name, at: module.at },
  });
}

const lastValue = (entries: readonly Entry[], name: string) => {
  const entry = entries.findLast((each) => each.name === name);
  return entry && { text: plain(entry.value), at: entry.at };
};

/** USE_NEW_VERL=1 puts NEW_VERL_DIR before the installed verl on PYTHONPATH, which is verl.path. */
function readCheckout({ values, notes }: SpecReading, entries: readonly Entry[]): void {
  const use = lastValue(entries, "USE_NEW_VERL");
  const folder = lastValue(entries, "NEW_VERL_DIR");
  if (!use && !folder) return;
  if (use && (use.text === "" || FLAGS[use.text?.toLowerCase() ?? ""] === false))
    values.push({ path: "verl.path", value: null, name: "USE_NEW_VERL", at: use.at });
  else if (folder?.text)
    values.push({ path: "verl.path", value: folder.text, name: "NEW_VERL_DIR", at: folder.at });
  else
    notes.push({
      ...{ name: "USE_NEW_VERL", at: use?.at ?? folder?.at ?? 0, isMinor: false },
      message: "says that a checkout is used; NEW_VERL_DIR must say which",
    });
}

/** A name of `null` leaves the agent to HARBOR_AGENT_IMPORT_PATH, as in verl's recipes. Which of the two counts is said. */
function readAgent({ values, notes }: SpecReading, entries: readonly Entry[]): void {
  const [NAME, PATH] = ["HARBOR_AGENT_NAME", "HARBOR_AGENT_IMPORT_PATH"] as const;
  const name = lastValue(entries, NAME);
  const importPath = lastValue(entries, PATH);
  const note = (of: string, at: number, message: string) =>
    notes.push({ name: of, at, message, isMinor: false });
  const isNamed = !!name?.text && hydraScalar(name.text) !== null;
  const known = AgentName.options.join(", ");
  if (name && isNamed && AgentName.safeParse(name.text).success)
    values.push({ path: "rollout.agent", value: name.text, name: NAME, at: name.at });
  else if (name && isNamed)
    note(NAME, name.at, `rollout.agent does not take ${name.text}: it has ${known}`);
  if (!importPath?.text || hydraScalar(importPath.text) === null) return;
  const isFit = AgentChoice.safeParse(importPath.text).success;
  if (!isNamed && isFit)
    values.push({ path: "rollout.agent", value: importPath.text, name: PATH, at: importPath.at });
  else if (isNamed) note(PATH, importPath.at, `${NAME} goes before it`);
  else
    note(
      PATH,
      importPath.at,
      `rollout.agent does not take ${importPath.text}: it is module.path:ClassName`,
    );
}

/** Words of scripts for yes and no, beside those of YAML. */
const FLAGS: Record<string, boolean> = {
  ...{ "1": true, true: true, yes: true, on: true },
  ...{ "0": false, false: false, no: false, off: false },
};

/** The text as the field's schema takes it; undefined where it does not. */
export function fitting(field: string, text: string): OverrideValue | undefined {
  const isList = text.startsWith("[") && text.endsWith("]");
  const list = (isList ? text.slice(1, -1) : text)
    .split(",")
    .map((item) => unquoted(item.trim()))
    .filter((item) => item !== "");
  if (!field.includes(".")) return slugOf(unquoted(text));
  const flag = FLAGS[text.trim().toLowerCase()];
  const collection = readHydraCollection(text);
  const candidates: OverrideValue[] = [
    ...(collection === undefined ? [] : [collection]),
    hydraScalar(unquoted(text)),
    unquoted(text),
    list,
    ...(flag === undefined ? [] : [flag]),
  ];
  return candidates.find((value) => withValue(LOCAL_VERL_DEFAULTS, field, value) !== null);
}

function unquoted(text: string): string {
  const [first] = text;
  const isQuoted = (first === '"' || first === "'") && text.length > 1 && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

/** A name as a run or project may have it; undefined where nothing of it is left. */
function slugOf(text: string): string | undefined {
  const slug = text
    .slice(0, 1_000)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 63);
  return slug === "" ? undefined : slug;
}
