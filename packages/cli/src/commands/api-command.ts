import { text as readAll } from "node:stream/consumers";
import { apiPath, toQuery } from "@liverl/contract/api";
import type { Command } from "commander";
import type { Act, Cli } from "#cli.ts";
import { parseFields } from "#commands/parse-fields.ts";
import { CliError, EXIT } from "#exit-code.ts";
import type { Result } from "#output/io.ts";

interface Flags {
  method?: string;
  data?: string;
}

export function addApiCommand(program: Command, act: Act): void {
  program
    .command("api")
    .description("Ask any route of the HTTP API: `liverl api run.events id=my-run limit=5`.")
    .argument("<operation>", "as openapi.json names it, run.get, or a path: /api/v1/openapi.json")
    .argument("[fields...]", "name=value of its input; a value is JSON, else text")
    .option("-X, --method <method>", "GET without it, POST with --data")
    .option("-d, --data <json>", "body; - reads it from stdin")
    .action(act(ask));
}

async function ask(
  { api }: Cli,
  operation: string,
  given: string[],
  flags: Flags,
): Promise<Result> {
  const fields = parseFields(given);
  const body = await bodyOf(flags);
  const method = flags.method?.toUpperCase() ?? (body === undefined ? "GET" : "POST");
  const base = operation.startsWith("/") ? operation : apiPath(operation);
  const isRead = method === "GET";
  const query = isRead && Object.keys(fields).length > 0 ? `?${toQuery(fields)}` : "";
  const sent = isRead ? undefined : { ...body, ...fields };
  const response = await api.open(method, `${base}${query}`, sent);
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== "object" || answer === null) return { answer: { answer }, lines: [text] };
  return { answer, lines: [JSON.stringify(answer, null, 2)] };
}

async function bodyOf({ data }: Flags): Promise<object | undefined> {
  if (data === undefined) return undefined;
  const text = data === "-" ? await readAll(process.stdin) : data;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Told below.
  }
  throw new CliError(EXIT.usage, "--data: give one JSON object.");
}
