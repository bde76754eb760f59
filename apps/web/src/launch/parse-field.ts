import type { LaunchField } from "#launch/launch-fields.ts";

/**
 * What the text of a field stands for. Text that is no number stays text, so that the check says what is wrong with it
 * and nothing that was typed is lost.
 */
export function parseField(field: LaunchField, text: string): string | number | null {
  if (field.kind !== "number") return text;
  const trimmed = text.trim();
  if (trimmed === "") return field.nullable ? null : "";
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

/** A value as its field shows it. Very small numbers keep the exponent form that people type. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") {
    return value !== 0 && Math.abs(value) < 1e-3
      ? value.toExponential().replace("e+", "e")
      : String(value);
  }
  return String(value);
}
