import { z } from "zod";

/** `default`: as the driver takes it when nobody says otherwise; `override`: what the launch itself said. */
export const ValueSource = z.enum(["preset", "parent", "default", "override"]);
export type ValueSource = z.infer<typeof ValueSource>;

/** Where a value comes from, by what the base and the driver's defaults have in its place. Pure. */
export function sourceOfValue(
  value: unknown,
  { before, usual, kind }: { before: unknown; usual: unknown; kind: "preset" | "parent" },
): ValueSource {
  const text = JSON.stringify(value);
  const isDefault = text === JSON.stringify(usual);
  // What the base has no place for, another driver's target, is nobody's override while it stands at its default.
  const isSame = text === JSON.stringify(before) || (before === undefined && isDefault);
  if (!isSame) return "override";
  return isDefault ? "default" : kind;
}
