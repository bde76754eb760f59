import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { SessionWay } from "#scaffolds/tunnel/play-in-session.ts";
import { type GatewayOptions, SessionGateway } from "#scaffolds/tunnel/session-gateway.ts";

export interface SessionServer extends SessionWay {
  /** `http://127.0.0.1:<port>`; the dialects are under `/v1`. */
  url: string;
  /** The session's stays here. */
  key: string;
  /** Why an agent may have failed that is not its own fault; null where nothing went wrong. */
  fault(): string | null;
}

/** A trial's session for an agent that is a process of this host: its calls are counted, and lead nowhere else. */
export async function openSessionServer(
  options: Omit<GatewayOptions, "agentKey">,
): Promise<SessionServer> {
  const key = randomBytes(32).toString("hex");
  const gateway = new SessionGateway({ ...options, agentKey: key });
  const connections = new Set<{ destroy(): unknown }>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    gateway.serve(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    fault: () => gateway.lastFault,
    get stall() {
      return gateway.stall;
    },
    close: () => {
      gateway.close();
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
