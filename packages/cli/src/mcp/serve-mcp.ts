import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { toQuery } from "@liverl/contract/api";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Cli } from "#cli.ts";
import { saveBody } from "#client/save-body.ts";
import { sendFile } from "#client/send-file.ts";
import { CliError, EXIT } from "#exit-code.ts";
import { LOG_TAIL, readLogTail } from "#mcp/log-tail.ts";
import { Document, type Tool, toolsOf } from "#mcp/tools-of-document.ts";

/** What an answer may add to an agent's context: some 25,000 tokens. */
const MOST_CHARS = 100_000;

const INSTRUCTIONS = `LiveRL runs and watches online reinforcement learning of coding agents. Begin with run_list, then run_get: its verdict says
in words what is wrong and where to look. Lists take limits, logs and series take ranges: ask for little.`;

/** Serves the API's operations as tools on stdin and stdout, until the client goes. */
export async function serveMcp(cli: Cli, isReadOnly: boolean): Promise<void> {
  const { api, signal } = cli;
  const server = new Server(
    { name: "liverl", version: "1" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  // Asked each time: LiveRL may start after its agent, or be another version by now.
  const load = async () => {
    const answer = await api.open("GET", "/api/v1/openapi.json");
    const tools = [...toolsOf(Document.parse(await answer.json())), LOG_TAIL];
    return isReadOnly ? tools.filter(({ isRead }) => isRead) : tools;
  };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await load()).map(({ name, description, inputSchema, isRead, isDestructive }) => ({
      ...{ name, description, inputSchema },
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: isDestructive,
        // No read takes a path, an address or a program; acts reach files, clusters, engines and receivers.
        openWorldHint: !isRead,
      },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal: left }) => {
    const tool = (await load()).find(({ name }) => name === params.name);
    if (!tool) return failed(`There is no tool ${params.name} here.`);
    return call({ ...cli, signal: AbortSignal.any([signal, left]) }, tool, params.arguments ?? {});
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

async function call(cli: Cli, tool: Tool, given: Record<string, unknown>): Promise<CallToolResult> {
  const needed = [...tool.inPath, ...(tool.file ? [tool.file.field] : [])];
  const missing = needed.filter((name) => String(given[name] ?? "") === "");
  if (missing.length > 0) return failed(`${missing.join(", ")}: it is missing.`);
  try {
    return { content: [{ type: "text", text: fitted(await answerOf(cli, tool, given)) }] };
  } catch (error) {
    // An agent can mend a wrong input, and wait for a server that is away.
    if (error instanceof CliError) return failed(error.message);
    throw error;
  }
}

async function answerOf(cli: Cli, tool: Tool, given: Record<string, unknown>): Promise<string> {
  if (tool === LOG_TAIL) return readLogTail(cli.api, given);
  const { api, signal } = cli;
  const { method, inPath, path, file } = tool;
  const place = inPath.reduce(
    (at, name) => at.replace(`{${name}}`, encodeURIComponent(String(given[name]))),
    path,
  );
  const input = Object.fromEntries(
    Object.entries(given).filter(([name]) => !inPath.includes(name) && name !== file?.field),
  );
  const query = method === "GET" ? toQuery(input).toString() : "";
  const target = `${place}${query && `?${query}`}`;
  const body = method === "GET" ? undefined : input;
  if (file === null) return (await api.open(method, target, body)).text();
  const named = resolve(String(given[file.field]));
  if (file.way === "upload") return (await sendFile(cli, target, named)).text();
  await refuseExisting(named);
  const sizeBytes = await saveBody(await api.open(method, target, body, signal), named);
  return JSON.stringify({ path: named, sizeBytes });
}

/** A person sees what a command writes over; an agent may not. */
async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new CliError(EXIT.usage, `${file} is there already: name another file.`);
}

const failed = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text }],
});

function fitted(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  return `${text.slice(0, MOST_CHARS)}\n… cut: the answer has ${text.length} characters. Ask for less: a limit, a range, one segment.`;
}
