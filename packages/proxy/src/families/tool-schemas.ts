import type { LosslessValue } from "#json/parse-lossless.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";

/** JSON schema of a tool's parameter; undefined where the tools say nothing of it. */
export type ToolSchemas = (tool: string, parameter: string) => LosslessValue | undefined;

/** Reads `[{"type": "function", "function": {"name", "parameters"}}]`, and the same without the inner object. */
export function toolSchemas(tools: ToolDefinitions | null): ToolSchemas {
  if (tools?.value.kind !== "array") return () => undefined;
  const byTool = new Map<string, LosslessValue | undefined>();
  for (const tool of tools.value.elements) {
    const definition = fieldOf(tool, "function") ?? tool;
    const name = fieldOf(definition, "name");
    if (name?.kind === "string")
      byTool.set(name.value, fieldOf(fieldOf(definition, "parameters"), "properties"));
  }
  return (tool, parameter) => fieldOf(byTool.get(tool), parameter);
}

export function fieldOf(value: LosslessValue | undefined, key: string): LosslessValue | undefined {
  return value?.kind === "object"
    ? value.entries.findLast(([name]) => name === key)?.[1]
    : undefined;
}
