import type { EnvironmentReading } from "@liverl/contract/launch";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { textOf } from "#launch/environment/bash/text.ts";
import { readHydraArgument } from "#launch/environment/read-hydra-arguments.ts";
import type { Entry } from "#launch/environment/spec-from-entries.ts";

/** Sections that verl's config has. */
const SECTIONS = new Set(["actor_rollout_ref", "data", "trainer", "algorithm"]);
const MAX_ENTRIES = 5_000;
/** verl's whole config has 40,000. */
const MAX_CHARACTERS = 100_000;

/** A list of `key=value`, or a map with a section of verl's config: anything else is no matter for YAML. */
function looksLikeHydra(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (lines.length === 0) return false;
  return (
    lines.every((line) => line.startsWith("- ") || line.startsWith("  ")) ||
    lines.some(
      (line) => /^[a-z_]{1,20}:$/.test(line.trimEnd()) && SECTIONS.has(line.trimEnd().slice(0, -1)),
    )
  );
}

export interface HydraFile {
  source: Extract<EnvironmentReading["source"], "hydra-overrides" | "hydra-config">;
  overrides: Entry[];
}

/** `.hydra/overrides.yaml` and `.hydra/config.yaml`; null where the text is neither. Pure. */
export function readHydraFile(text: string): HydraFile | null {
  if (text.length > MAX_CHARACTERS || !looksLikeHydra(text)) return null;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  if (document.errors.length > 0) return null;
  const { contents } = document;
  if (isSeq(contents)) {
    const overrides: Entry[] = [];
    for (const item of contents.items) {
      if (!isScalar(item) || typeof item.value !== "string") return null;
      const argument = readHydraArgument(textOf(item.value, item.range?.[0] ?? 0));
      if (argument === null) return null;
      overrides.push(argument);
    }
    return overrides.length > 0 ? { source: "hydra-overrides", overrides } : null;
  }
  if (!isMap(contents)) return null;
  const names = contents.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  if (!names.some((name) => SECTIONS.has(name))) return null;
  const overrides: Entry[] = [];
  flatten(contents, "", overrides, 0);
  return { source: "hydra-config", overrides };
}

function flatten(node: unknown, prefix: string, into: Entry[], depth: number): void {
  if (!isMap(node) || depth > 20) return;
  for (const { key, value } of node.items) {
    if (!isScalar(key) || into.length >= MAX_ENTRIES) continue;
    const name = prefix === "" ? String(key.value) : `${prefix}.${String(key.value)}`;
    const at = key.range?.[0] ?? 0;
    if (isMap(value) && value.items.length > 0) flatten(value, name, into, depth + 1);
    else
      into.push({
        name,
        value: textOf(hydraText(isScalar(value) ? value.value : toJson(value)), at),
        at,
      });
  }
}

const toJson = (node: unknown): unknown =>
  isMap(node) || isSeq(node) ? (node.toJSON() as unknown) : null;

/** A value of YAML as Hydra's command line would have it. */
function hydraText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
