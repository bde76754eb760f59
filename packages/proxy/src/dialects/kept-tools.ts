import type { ReadBody } from "#dialects/body/read-body.ts";
import type { ModelRequest } from "#dialects/dialect.ts";
import { ModelError } from "#dialects/model-error.ts";
import { canonicalJson } from "#json/canonical-json.ts";
import { type LosslessValue, parseLossless } from "#json/parse-lossless.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";

type Tools = Pick<ModelRequest, "hasTools" | "toolsKey" | "readTools">;

export const noTools: Tools = { hasTools: false, toolsKey: "", readTools: () => null };

/**
 * The request's `tools` as function definitions in OpenAI's form, with the client's own number text and key order.
 * `write` gives one definition as JSON text, or null for what can not be offered. Read once as long as the text stays.
 */
export function keptTools(
  body: ReadBody,
  write: (tool: LosslessValue, source: string) => string | string[] | null,
): Tools {
  const definitions = body.derive("tools", (text) => readDefinitions(text, write));
  if (definitions === null || definitions.tools === null) return noTools;
  const { tools, key } = definitions;
  return { hasTools: true, toolsKey: key, readTools: () => tools };
}

function readDefinitions(
  text: string,
  write: (tool: LosslessValue, source: string) => string | string[] | null,
): { tools: ToolDefinitions | null; key: string } {
  const list = lossless(text);
  if (list.kind !== "array") throw ModelError.invalid("tools", "tools must be an array.");
  const written = list.elements.flatMap((tool) => write(tool, text) ?? []);
  if (written.length === 0) return { tools: null, key: "" };
  const source = `[${written.join(", ")}]`;
  const value = lossless(source);
  return { tools: { text: source, value }, key: canonicalJson(value) };
}

function lossless(text: string): LosslessValue {
  try {
    return parseLossless(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw ModelError.invalid("tools", `The tools can not be read: ${error.message}`);
  }
}
