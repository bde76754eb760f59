import type { LosslessValue } from "#json/parse-lossless.ts";

/** Between a namespace and a name. A policy sees one flat list of functions. */
const JOINT = "__";

/** What a function that the policy calls is to the client. */
export interface ToolOrigin {
  type: "function" | "custom";
  namespace: string | null;
  name: string;
}

export const flatName = (namespace: string | null, name: string): string =>
  namespace === null ? name : namespace + JOINT + name;

/**
 * One tool of the Responses dialect as function definitions: a namespace is as many as it has, a `custom` tool one whose
 * only parameter is its text. Tools that a server would run (`web_search`, …) are left out.
 */
export function toolTexts(tool: LosslessValue, source: string): string[] {
  return definitionsOf(tool, source, null);
}

/** What each function's name stands for, from the request's `tools`. */
export function toolOrigins(tools: unknown): Map<string, ToolOrigin> {
  const origins = new Map<string, ToolOrigin>();
  addOrigins(origins, tools, null);
  return origins;
}

function addOrigins(
  origins: Map<string, ToolOrigin>,
  tools: unknown,
  namespace: string | null,
): void {
  for (const tool of Array.isArray(tools) ? tools : []) {
    const { type, name, tools: inner } = (tool ?? {}) as Record<string, unknown>;
    if (typeof name !== "string") continue;
    if (type === "namespace") addOrigins(origins, inner, name);
    else if (type === "custom" || type === "function" || type === undefined)
      origins.set(flatName(namespace, name), { type: type ?? "function", namespace, name });
  }
}

function definitionsOf(tool: LosslessValue, source: string, namespace: string | null): string[] {
  if (tool.kind !== "object") return [];
  const fields = new Map(tool.entries);
  const type = fields.get("type");
  const name = fields.get("name");
  if (name?.kind !== "string") return [];
  const kind = type?.kind === "string" ? type.value : "function";
  const inner = fields.get("tools");
  if (kind === "namespace" && namespace === null)
    return inner?.kind === "array"
      ? inner.elements.flatMap((element) => definitionsOf(element, source, name.value))
      : [];
  if (kind !== "function" && kind !== "custom") return [];
  const text = (field: string) => {
    const value = fields.get(field);
    return value ? source.slice(value.start, value.end) : null;
  };
  const description = text("description");
  const described = description === null ? "" : `, "description": ${description}`;
  const parameters =
    kind === "custom"
      ? '{"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}'
      : (text("parameters") ?? '{"type": "object", "properties": {}}');
  const flat = JSON.stringify(flatName(namespace, name.value));
  return [
    `{"type": "function", "function": {"name": ${flat}${described}, "parameters": ${parameters}}}`,
  ];
}
