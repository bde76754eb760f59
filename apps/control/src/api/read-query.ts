import { AppError } from "@liverl/contract/app-error";
import { z } from "zod";

type Field = z.core.JSONSchema.JSONSchema;

/**
 * The input that a query holds, by the rules of `toQuery`. What no field can be is left as text, so that the procedure's own
 * schema says what is wrong with it. BAD_REQUEST for a name that the input has not, and for one that stands twice.
 */
export function readQuery(
  input: z.ZodObject | null,
  query: URLSearchParams,
): Record<string, unknown> | undefined {
  const fields = input === null ? {} : fieldsOf(input);
  refuseUnknown(input, [...query.keys()]);
  const read: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const field = fields[name] ?? {};
    const texts = query.getAll(name);
    if (field.type === "array") read[name] = texts.map((text) => readValue(text, itemOf(field)));
    else if (texts.length > 1) throw fault(`Give ${name} once.`);
    else read[name] = readValue(texts[0] ?? "", field);
  }
  return input === null ? undefined : read;
}

/** A misspelt name must not be as if it were left out. */
export function refuseUnknown(input: z.ZodObject | null, names: readonly string[]): void {
  const known = Object.keys(input?.shape ?? {});
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const takes = known.length === 0 ? "It takes none." : `It takes ${known.join(", ")}.`;
  throw fault(`There is no ${unknown} here. ${takes}`);
}

const fault = (userMessage: string) => new AppError("BAD_REQUEST", { userMessage });

function fieldsOf(input: z.ZodObject): Record<string, Field> {
  const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return (schema.properties ?? {}) as Record<string, Field>;
}

function itemOf(field: Field): Field {
  const item = Array.isArray(field.items) ? field.items[0] : field.items;
  const first = item ?? (Array.isArray(field.prefixItems) ? field.prefixItems[0] : undefined);
  return typeof first === "object" ? first : {};
}

/** A field that may be text is text; all else is JSON. */
function readValue(text: string, field: Field): unknown {
  if (isText(field)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isText(field: Field): boolean {
  // `["string", "null"]` of text that may be null.
  if ([field.type].flat().includes("string")) return true;
  if (typeof field.const === "string") return true;
  if (field.enum) return field.enum.some((value) => typeof value === "string");
  return (field.anyOf ?? []).some((one) => typeof one === "object" && isText(one));
}
