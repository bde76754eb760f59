import { z } from "zod";
import type { ReadBody } from "#dialects/body/read-body.ts";
import { ModelError } from "#dialects/model-error.ts";

/** Fields of sampling that several dialects share. Numbers that no engine takes are refused, not clamped. */
export const SamplingFields = z.object({
  temperature: z.number().min(0).max(5).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  seed: z.number().int().nullish(),
});

/** Throws ModelError that names the field. */
export function readFields<S extends z.ZodType>(body: ReadBody, schema: S): z.infer<S> {
  const value = Object.fromEntries([...body.fields.keys()].map((name) => [name, body.field(name)]));
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw ModelError.invalid(
    issue?.path.join(".") || null,
    issue?.message ?? "The request has a field of the wrong kind.",
  );
}

/** The fields among `names` that the client set. */
export function requestedFields(body: ReadBody, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = body.field(name);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

/** Names of fields that the client set and that change nothing here. */
export function ignoredFields(body: ReadBody, names: readonly string[]): string[] {
  return names.filter((name) => {
    const value = body.field(name);
    const isEmpty = Array.isArray(value) && value.length === 0;
    return value !== undefined && value !== null && value !== false && !isEmpty;
  });
}

/** Throws ModelError for fields that stand for content which only the vendor's own servers have. */
export function refuseFields(body: ReadBody, reasons: Record<string, string>): void {
  const [name] = ignoredFields(body, Object.keys(reasons));
  if (name !== undefined) throw ModelError.invalid(name, reasons[name] ?? "");
}

/** Throws ModelError where the list of the conversation is missing or empty. */
export function requireList(body: ReadBody, name: string): void {
  if (body.listStart < 0) throw ModelError.invalid(name, `${name} must be an array.`);
  if (body.boundaries.length === 0) throw ModelError.invalid(name, `${name} must not be empty.`);
}

const Roled = z.looseObject({ role: z.string().min(1), content: z.unknown().optional() });

/** Throws ModelError where an element is no message, or one of a role that is not among `roles`. */
export function readRoled(
  element: unknown,
  param: string,
  roles: readonly string[],
): z.infer<typeof Roled> {
  const parsed = Roled.safeParse(element);
  if (!parsed.success)
    throw ModelError.invalid(param, "Each message must be an object with a role.");
  const { role } = parsed.data;
  if (roles.includes(role)) return parsed.data;
  throw ModelError.invalid(
    `${param}.role`,
    `The role ${JSON.stringify(role.slice(0, 60))} is not supported. Use one of ${roles.join(", ")}.`,
  );
}

/** A value of its type, or a ModelError that names the place of what is wrong. */
export function checked<S extends z.ZodType>(schema: S, value: unknown, param: string): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw ModelError.invalid(
    [param, ...(issue?.path ?? [])].join("."),
    issue?.message ?? "The value is not of its type.",
  );
}
