import { z } from "zod";
import type { ApiClient } from "#client/api-client.ts";
import { CliError, EXIT } from "#exit-code.ts";
import type { Tool } from "#mcp/tools-of-document.ts";

const MOST_LINES = 1_000;
const Asked = z.object({
  runId: z.string().min(1).describe("The run's id."),
  source: z.string().optional().describe("Which log, as log_sources names them."),
  lines: z.number().int().min(1).max(MOST_LINES).default(100).describe("So many, the last ones."),
});

/** The end of a log as text: the stream of its new lines has no end, and an agent's context has. */
export const LOG_TAIL: Tool = {
  name: "log_tail",
  description:
    "The last lines of one of a run's logs, as text; without a source, of its trainer's.",
  inputSchema: z.toJSONSchema(Asked, { io: "input" }) as Tool["inputSchema"],
  ...{ file: null, isRead: true, isDestructive: false, method: "GET", path: "", inPath: [] },
};

export async function readLogTail(api: ApiClient, given: unknown): Promise<string> {
  const asked = Asked.safeParse(given);
  if (!asked.success) throw new CliError(EXIT.usage, z.prettifyError(asked.error));
  const { runId, lines: limit } = asked.data;
  const { sources } = await api.get("log.sources", { runId });
  const source =
    asked.data.source ?? (sources.find(({ sizeBytes }) => sizeBytes > 0) ?? sources[0])?.id;
  if (source === undefined) throw new CliError(EXIT.notFound, `${runId} has no logs.`);
  const { lines } = await api.get("log.read", { runId, source, limit });
  return lines.map(({ at, text }) => `${at === null ? "" : `${at} `}${text}`).join("\n");
}
