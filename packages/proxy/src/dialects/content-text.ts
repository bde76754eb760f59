import { z } from "zod";
import { ModelError } from "#dialects/model-error.ts";

const Part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const Parts = z.array(z.union([z.string(), Part]));

/**
 * Content as one text: parts are joined by newlines, as vLLM does it. Media have no tokens here, so a note stands in
 * their place; null stays null. Throws ModelError where it is neither text nor a list of parts.
 */
export function contentText(content: unknown, param: string): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === "string") return content;
  const parts = Parts.safeParse(content);
  if (!parts.success)
    throw ModelError.invalid(param, "Content must be a text or a list of parts with a type.");
  return parts.data.map(partText).join("\n");
}

export function partText(part: z.infer<typeof Part> | string): string {
  if (typeof part === "string") return part;
  return (
    part.text ?? `[${(part.type ?? "part").replace(/^input_/, "").replace(/_url$/, "")} omitted]`
  );
}
