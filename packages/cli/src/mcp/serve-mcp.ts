import { toQuery } from "@liverl/contract/api";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Cli } from "#cli.ts";
import type { ApiClient } from "#client/api-client.ts";
import { CliError } from "#exit-code.ts";
import { Document, type Tool, toolsOf } from "#mcp/tools-of-document.ts";

/** What an answer may add to an agent's context: some 25,000 tokens. */
const MOST_CHARS = 100_000;

const INSTRUCTIONS = `LiveRL runs and watches online reinforcement learning of coding agents. Begin with run_list, then run_get: its verdict says
in words what is wrong and where to look. Lists take limits, logs and series take ranges: ask for little.`;

/** Serves the API's operations as tools on stdin and stdout, until the client goes. */
export async function serveMcp({ api, signal }: Cli, isReadOnly: boolean): Promise<void> {
  const server = new Server(
    { name: "liverl", version: "1" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  // Asked each time: LiveRL may start after its agent, or be another version by now.
  const load = async () => {
    const answer = await api.open("GET", "/api/v1/openapi.json");
    const tools = toolsOf(Document.parse(await answer.json()));
    return isReadOnly ? tools.filter(({ isRead }) => isRead) : tools;
  };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await load()).map(({ name, description, inputSchema, isRead, isDestructive }) => ({
      ...{ name, description, inputSchema },
      annotations: { readOnlyHint: isRead, destructiveHint: isDestructive, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = (await load()).find(({ name }) => name === params.name);
    if (!tool) return failed(`There is no tool ${params.name} here.`);
    return call(api, tool, params.arguments ?? {});
  });
  const ended = new Promise<void>((resolve) => {
    server.onclose = () => resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    process.stdin.once("end", () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

async function call(
  api: ApiClient,
  { method, path, inPath }: Tool,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  const missing = inPath.filter((name) => String(given[name] ?? "") === "");
  if (missing.length > 0) return failed(`${missing.join(", ")}: it is missing.`);
  const place = inPath.reduce(
    (at, name) => at.replace(`{${name}}`, encodeURIComponent(String(given[name]))),
    path,
  );
  const input = Object.fromEntries(
    Object.entries(given).filter(([name]) => !inPath.includes(name)),
  );
  const query = method === "GET" ? toQuery(input).toString() : "";
  try {
    const target = `${place}${query && `?${query}`}`;
    const answer = await api.open(method, target, method === "GET" ? undefined : input);
    return { content: [{ type: "text", text: fitted(await answer.text()) }] };
  } catch (error) {
    // An agent can mend a wrong input, and wait for a server that is away.
    if (error instanceof CliError) return failed(error.message);
    throw error;
  }
}

const failed = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text }],
});

function fitted(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  return `${text.slice(0, MOST_CHARS)}\n… cut: the answer has ${text.length} characters. Ask for less: a limit, a range, one segment.`;
}
