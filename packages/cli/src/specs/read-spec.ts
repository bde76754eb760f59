import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { parse } from "yaml";
import { CliError, EXIT } from "#exit-code.ts";

/** A spec from a file, YAML or JSON, or from stdin for `-`. */
export async function readSpec(path: string): Promise<object> {
  const text = await (path === "-" ? readAll(process.stdin) : readFile(path, "utf8")).catch(
    (cause: unknown) => {
      throw new CliError(EXIT.usage, `${path} can not be read: is it there, and yours to read?`, {
        cause,
      });
    },
  );
  const spec: unknown = parseYaml(text, path);
  if (typeof spec === "object" && spec !== null && !Array.isArray(spec)) return spec;
  throw new CliError(EXIT.usage, `${path} holds no spec: \`liverl presets ID\` shows one.`);
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n", 1)[0] : "";
    throw new CliError(EXIT.usage, `${path} is not YAML: ${why}`, { cause });
  }
}
