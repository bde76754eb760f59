import { LaunchSpec, type PreflightItem } from "@liverl/contract/launch";
import type { OverrideValue } from "@liverl/contract/override-value";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { VERL_KEYS } from "#launch/verl-keys.ts";

/** The path at which an override of a key stands, `~key` that deletes it among them; undefined where there is none. */
export function placeOfOverride(
  spec: Pick<VerlSpec, "overrides">,
  key: string,
): string | undefined {
  const written = ["", "+", "++", "~"].find((prefix) => `${prefix}${key}` in spec.overrides);
  return written === undefined ? undefined : `overrides.${written}${key}`;
}

/** An override by its key without Hydra's `+` and `++`; undefined where there is none. `~key` deletes, so it is none. */
export function readOverride(
  spec: Pick<VerlSpec, "overrides">,
  key: string,
): { value: OverrideValue; path: string } | undefined {
  for (const prefix of ["", "+", "++"]) {
    const written = `${prefix}${key}`;
    const value = spec.overrides[written];
    if (value !== undefined) return { value, path: `overrides.${written}` };
  }
  return undefined;
}

/** An override of a key that a field of the spec already says: it wins over the field. */
export interface Shadow {
  /** Path of the field. */
  field: string;
  /** Path of the override. */
  path: string;
  value: OverrideValue;
  /** The field's own schema takes the value. */
  fits: boolean;
}

/**
 * The spec as verl will see it: an override of a key that has a field stands in that field. Values that the field does
 * not take are left out and told in `shadows`.
 */
export function effectiveSpec(spec: VerlSpec): { spec: VerlSpec; shadows: Shadow[] } {
  let effective = spec;
  const shadows: Shadow[] = [];
  for (const [field, keys] of Object.entries(VERL_KEYS)) {
    for (const key of keys) {
      const found = isOfEngine(key, spec.engine.name) ? readOverride(spec, key) : undefined;
      if (found === undefined) continue;
      const next = withValue(effective, field, plainName(field, found.value));
      shadows.push({ field, path: found.path, value: found.value, fits: next !== null });
      effective = next ?? effective;
    }
  }
  return { spec: effective, shadows };
}

/** An estimator's twin that knows stand-ins is judged as the estimator. */
function plainName(field: string, value: OverrideValue): OverrideValue {
  const isTwin = field === "algorithm.adv_estimator" && typeof value === "string";
  return isTwin ? value.replace(/^liverl_/, "") : value;
}

/** A run's stored spec with the values that count in it; null where it is none. */
export function settledSpec(stored: unknown): LaunchSpec | null {
  const parsed = LaunchSpec.safeParse(stored);
  if (!parsed.success) return null;
  return parsed.data.driver === "embedded" ? parsed.data : effectiveSpec(parsed.data).spec;
}

/** A finding's field and fix at the override that stands in for a field: the field's own value has no effect. */
export function atOverrides<Item extends Pick<PreflightItem, "field" | "fix">>(
  shadows: readonly Shadow[],
  item: Item,
): Item {
  const places = new Map(shadows.map(({ field, path }) => [field, path]));
  return {
    ...item,
    field: places.get(item.field ?? "") ?? item.field,
    fix: item.fix && { ...item.fix, path: places.get(item.fix.path) ?? item.fix.path },
  };
}

/** Keys below another engine's name say nothing of this run. */
export function isOfEngine(key: string, engine: VerlSpec["engine"]["name"]): boolean {
  const [, group] = /^actor_rollout_ref\.actor\.(fsdp_config|veomni|megatron)\./.exec(key) ?? [];
  if (group === undefined) return true;
  return group === "fsdp_config" ? engine === "fsdp" || engine === "fsdp2" : group === engine;
}

/** A copy with the value at `section.key`; null where the schema refuses it. */
export function withValue(spec: VerlSpec, field: string, value: unknown): VerlSpec | null {
  const [section = "", key = ""] = field.split(".");
  const before: Record<string, unknown> = { ...spec };
  const inner = before[section];
  const parsed = LaunchSpec.safeParse({
    ...before,
    [section]: { ...(typeof inner === "object" ? inner : {}), [key]: value },
  });
  return parsed.success && parsed.data.driver !== "embedded" ? parsed.data : null;
}
