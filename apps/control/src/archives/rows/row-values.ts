import { isStorable, notStorable } from "@liverl/contract/storable";
import { z } from "zod";

const DAY_MS = 86_400_000;
/** The last moment that a Date can name. */
const MAX_WALL_MS = 8.64e15;

/** Text of at most so many characters that the database can hold. */
export const text = (most: number) => z.string().max(most).refine(isStorable, notStorable);
/** A name of a rollout, a session or a replay's request: it stands in paths and addresses. */
export const idOf = (most = 300) =>
  z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, '.', '_' or '-'");
/** As PostgreSQL writes a time in JSON. A clock may be a little ahead of this one, and no more. */
export const moment = z.iso
  .datetime({ offset: true, error: "is no time" })
  .refine((at) => Date.parse(at) >= 0, "is before 1970")
  .refine((at) => Date.parse(at) < Date.now() + DAY_MS, "is yet to come");
export const wallMs = z.number().min(0).max(MAX_WALL_MS);
export const seconds = z.number().min(0).max(1e9);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is no SHA-256");

/** Kept as it stands, once the schema that its readers parse it with takes it: defaults stay theirs. */
export const readBy = (schema: z.ZodType) =>
  z.unknown().superRefine((value, ctx) => {
    for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
      ctx.addIssue({ code: "custom", path, message });
  });

/** For lists of a row that stand beside each other: the name of one that is longer or shorter than the first. */
export function unequal(lists: Readonly<Record<string, readonly unknown[]>>): string | null {
  const [first, ...others] = Object.entries(lists);
  const other = others.find(([, list]) => list.length !== first?.[1].length);
  return first && other
    ? `${other[0]} has ${other[1].length} values, and ${first[0]} ${first[1].length}`
    : null;
}
