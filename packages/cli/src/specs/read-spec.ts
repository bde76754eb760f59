import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { parse } from "yaml";
import { CliError, EXIT } from "#exit-code.ts";

/** A spec from a file, YAML or JSON, or from stdin for `-`. */
export async function readSpec(path: string): Promise<object> {
  const spec: unknown = parseYaml(await readText(path), path);
  if (typeof spec === "object" && spec !== null && !Array.isArray(spec)) return spec;
  throw new CliError(EXIT.usage, `${path} holds no spec: \`liverl presets ID\` shows one.`);
}

/** A file's text, or stdin's for `-`. */
export function readText(path: string): Promise<string> {
  const reading = path === "-" ? readAll(process.stdin) : readFile(path, "utf8");
  return reading.catch((cause: unknown) => {
    throw new CliError(EXIT.usage, `${path} can not be read: is it there, and yours to read?`, {
      cause,
    });
  });
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n", 1)[0] : "";
    throw new CliError(EXIT.usage, `${path} is not YAML: ${why}`, { cause });
  }
}
