import type { ReadBody } from "#dialects/body/read-body.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { ModelError } from "#dialects/model-error.ts";
import { canonicalJson } from "#json/canonical-json.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";

interface Tools extends Pick<ModelRequest, "hasTools" | "toolsKey" | "readTools"> {
  /** Places of tools that cannot be offered, such as `tools.2`. */
  ignoredTools: readonly string[];
}

export const noTools: Tools = {
  hasTools: false,
  toolsKey: "",
  readTools: () => null,
  ignoredTools: [],
};

/**
 * The request's `tools` as function definitions in OpenAI's form, with the client's own number text and key order.
 * `write` gives one definition as JSON text, or null for what can not be offered. Read once as long as the text stays.
 */
export function keptTools(
  body: ReadBody,
  field: string,
  write: (tool: LosslessValue, source: string) => string | string[] | null,
): Tools {
  const definitions = body.derive(field, (text) => readDefinitions(text, field, write));
  if (definitions === null) return noTools;
  const { tools, key, ignoredTools } = definitions;
  if (tools === null) return { ...noTools, ignoredTools };
  return { hasTools: true, toolsKey: key, readTools: () => tools, ignoredTools };
}

function readDefinitions(
  text: string,
  field: string,
  write: (tool: LosslessValue, source: string) => string | string[] | null,
): { tools: ToolDefinitions | null; key: string; ignoredTools: string[] } {
  const list = lossless(text);
  if (list.kind !== "array") throw ModelError.invalid(field, `${field} must be an array.`);
  const byTool = list.elements.map((tool) => [write(tool, text) ?? []].flat());
  const ignoredTools = byTool.flatMap((own, i) => (own.length === 0 ? `${field}.${i}` : []));
  const written = byTool.flat();
  if (written.length === 0) return { tools: null, key: "", ignoredTools };
  const source = `[${written.join(", ")}]`;
  const value = lossless(source);
  return { tools: { text: source, value }, key: canonicalJson(value), ignoredTools };
}

function lossless(text: string): LosslessValue {
  try {
    return parseLossless(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw ModelError.invalid("tools", `The tools can not be read: ${error.message}`);
  }
}
