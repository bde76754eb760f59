import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebhookReceiver {
  url: string;
  /** Bodies that came, oldest first. */
  bodies: Record<string, unknown>[];
  paths: string[];
  /** Replaces the answer 200. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

/** A real HTTP server on 127.0.0.1 that keeps what is posted to it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = {
    ...{ url: "", bodies: [], paths: [], answer: null },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      receiver.paths.push(request.url ?? "");
      const text = Buffer.concat(parts).toString("utf8");
      if (text !== "") receiver.bodies.push(JSON.parse(text));
      if (receiver.answer) receiver.answer(request, response);
      else response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
