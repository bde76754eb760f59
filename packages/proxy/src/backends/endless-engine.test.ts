import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { EngineTurn } from "#backends/inference-backend.ts";
import { TokenApi } from "#backends/token-api.ts";
import { TokenPrompt } from "#backends/token-prompt.ts";

const MEGABYTE = "x".repeat(1024 * 1024);

let server: Server;
let api: TokenApi;
let sent: number;
let status: number;
let begin: string;
beforeEach(async () => {
  sent = 0;
  // A stand-in for what is no engine: each answer goes on for as long as somebody reads.
  server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "text/event-stream" });
    response.write(begin);
    pour(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  api = new TokenApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    keyPath: null,
  });
});
afterEach(async () => {
  await api.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function pour(response: ServerResponse): void {
  while (!response.destroyed) {
    sent += 1;
    if (!response.write(MEGABYTE)) {
      response.once("drain", () => pour(response));
      return;
    }
  }
}

const turn: EngineTurn = {
  requestId: "s-c0-0",
  sessionId: "s",
  prompt: new TokenPrompt([[1, 2, 3]]),
  sampling: { max_tokens: 6, temperature: 1, seed: 7, logprobs: 0 },
  cacheSalt: "run.v3",
};
async function sample(): Promise<void> {
  const chunks = [];
  for await (const chunk of api.generate(turn, new AbortController().signal)) chunks.push(chunk);
}

it("an error that does not end is read to where it says what it is", async () => {
  [status, begin] = [400, "out of range"];
  await expect(sample()).rejects.toThrow(/^out of range/);
  expect(sent).toBeLessThan(32);
});

it("an event that does not end is left", async () => {
  [status, begin] = [200, "data: "];
  await expect(sample()).rejects.toThrow("the engine sends an event without an end");
  expect(sent).toBeLessThan(64);
});
