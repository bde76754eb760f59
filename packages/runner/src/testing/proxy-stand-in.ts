import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type CompletedSession,
  CompleteSession,
  type OpenedSession,
  OpenSession,
} from "@liverl/contract/proxy-admin";
import type { ProxyTrajectory } from "@liverl/contract/trajectory";
import { flattenSegment } from "@liverl/proxy/trajectory/flatten";

export interface ChatTurn {
  sessionId: string;
  /** Requests of this session before this one. */
  turn: number;
  messages: { role: string; content?: string | null }[];
  retries: number;
}

/** An assistant message, or an HTTP failure, or "hang": never answers. */
export type ChatReply =
  | { tool?: { name: string; arguments: object | string }; content?: string }
  | { status: number; body: object }
  | "hang";

export interface ProxyStandIn {
  readonly opened: Map<string, OpenSession>;
  readonly completed: Map<string, CompleteSession>;
  readonly pools: Map<string, unknown>;
  reply: (turn: ChatTurn) => ChatReply;
  /** Closes the port and listens on it again later. */
  goAwayFor(ms: number): Promise<void>;
  close(): Promise<void>;
}

const TOKEN = "stand-in-token";

/** Stands in for the proxy: its admin API and session URL on one port, with replies that a test chooses. */
export async function startProxyStandIn(dataDir: string): Promise<ProxyStandIn> {
  const turns = new Map<string, number>();
  const standIn: ProxyStandIn = {
    opened: new Map(),
    completed: new Map(),
    pools: new Map(),
    reply: () => ({ tool: { name: "submit", arguments: {} } }),
    goAwayFor: async (ms) => {
      await stop(server);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await listen(server, port);
    },
    close: () => stop(server),
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readJsonBody(request);
      const answer = await handle(request, body);
      if (answer === "hang") return;
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    })();
  });
  const handle = async (
    request: IncomingMessage,
    body: unknown,
  ): Promise<{ status: number; body: unknown } | "hang"> => {
    const path = request.url ?? "";
    const session = /^\/sess\/([^/]+)\/v1\/chat\/completions$/.exec(path)?.[1];
    if (session) return chat(session, request, body);
    if (path === "/healthz") return { status: 200, body: {} };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
    const pool = /^\/pools\/([^/]+)$/.exec(path)?.[1];
    if (pool) return { status: 200, body: changePool(request.method, pool, body) };
    if (path === "/sessions") return { status: 200, body: listOrOpen(request.method, body) };
    const ending = /^\/sessions\/([^/]+)\/complete$/.exec(path)?.[1];
    if (ending) return { status: 200, body: await complete(ending, CompleteSession.parse(body)) };
    return { status: 404, body: { error: { code: "NOT_FOUND", message: path } } };
  };
  const changePool = (method: string | undefined, pool: string, body: unknown) => {
    if (method === "DELETE") standIn.pools.delete(pool);
    else standIn.pools.set(pool, body);
    return {};
  };
  const listOrOpen = (method: string | undefined, body: unknown) => {
    if (method !== "GET") return open(OpenSession.parse(body));
    const sessions = [...standIn.opened.values()];
    return { sessions: sessions.filter(({ sessionId }) => !standIn.completed.has(sessionId)) };
  };
  const open = (session: OpenSession): OpenedSession => {
    standIn.opened.set(session.sessionId, session);
    const baseUrl = `http://127.0.0.1:${port}/sess/${session.sessionId}/v1`;
    return { sessionId: session.sessionId, baseUrl, apiKey: "key", expiresAt: session.expiresAt };
  };
  const chat = (
    sessionId: string,
    request: IncomingMessage,
    body: unknown,
  ): { status: number; body: unknown } | "hang" => {
    const turn = turns.get(sessionId) ?? 0;
    turns.set(sessionId, turn + 1);
    // Written by the agent under test.
    const { messages } = body as { messages: ChatTurn["messages"] };
    const reply = standIn.reply({
      sessionId,
      turn,
      messages,
      retries: Number(request.headers["x-stainless-retry-count"]),
    });
    if (reply === "hang" || "status" in reply) return reply;
    const { tool, content = null } = reply;
    const text =
      typeof tool?.arguments === "string" ? tool.arguments : JSON.stringify(tool?.arguments);
    const tool_calls = tool
      ? [{ id: `call-${turn}`, type: "function", function: { name: tool.name, arguments: text } }]
      : undefined;
    return {
      status: 200,
      body: {
        choices: [
          { index: 0, message: { role: "assistant", content, tool_calls }, finish_reason: "stop" },
        ],
      },
    };
  };
  const complete = async (
    sessionId: string,
    ending: CompleteSession,
  ): Promise<CompletedSession> => {
    standIn.completed.set(sessionId, ending);
    const session = standIn.opened.get(sessionId);
    const trajectory = trajectoryOf(sessionId, session, ending);
    const directory = session?.directory ?? join(dataDir, "unknown", sessionId);
    await mkdir(directory, { recursive: true });
    const path = join(directory, "proxy_trajectory.json");
    await writeFile(path, JSON.stringify(trajectory));
    return {
      sessionId,
      path,
      segments: [flattenSegment(trajectory, 0)],
      calls: 1,
      tokensSampled: 2,
      tokensTotal: 5,
      versionSpan: [3, 3],
      truncated: false,
      keptSegments: 0,
      untrained: { reasons: {}, lossy: 0 },
      routingCoverage: null,
      generateS: 0.01,
    };
  };
  const listen = (target: Server, wanted: number) =>
    new Promise<void>((resolve) => target.listen(wanted, "127.0.0.1", resolve));
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  await mkdir(join(dataDir, "proxy"), { recursive: true });
  await writeFile(join(dataDir, "proxy", "session-port"), `${port}\n`);
  await writeFile(join(dataDir, "proxy", "admin-port"), `${port}\n`);
  await writeFile(join(dataDir, "proxy", "admin.token"), `${TOKEN}\n`);
  return standIn;
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text === "" ? null : JSON.parse(text);
}

function trajectoryOf(
  sessionId: string,
  session: OpenSession | undefined,
  ending: CompleteSession,
): ProxyTrajectory {
  return {
    format: "liverl-proxy-trajectory/1",
    sessionId,
    rolloutId: session?.rolloutId ?? null,
    attempt: session?.attempt ?? 1,
    runId: session?.runId ?? null,
    taskId: session?.taskId ?? null,
    groupId: session?.groupId ?? null,
    step: session?.step ?? null,
    mode: session?.mode ?? "train",
    model: { name: "m", family: "f", tokenizerSha256: "", chatTemplateSha256: "" },
    nodes: [
      {
        id: 0,
        parentId: null,
        kind: "given",
        role: "user",
        message: { role: "user" },
        tokenIds: [1, 2, 3],
        reason: null,
        linkedFrom: null,
      },
      {
        id: 1,
        parentId: 0,
        kind: "sampled",
        role: "assistant",
        message: { role: "assistant" },
        tokenIds: [4, 5],
        logprobs: [-0.5, -0.25],
        policyVersions: [3, 3],
        versionSpan: [3, 3],
        callId: 0,
      },
    ],
    calls: [],
    segments: [
      {
        id: 0,
        path: [0, 1],
        trainedNodes: [1],
        parentSegmentId: null,
        trainedTokens: 0,
        trainable: true,
        reason: null,
      },
    ],
    reward: ending.reward,
    termination: ending.termination,
  };
}
