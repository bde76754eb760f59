import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChatClient } from "#scaffolds/chat-client.ts";
import { TrialError } from "#trials/trial-error.ts";

let server: Server;
let baseUrl: string;
let status: number | "hang" = "hang";
const patient = new ChatClient();
const impatient = new ChatClient({ giveUpMs: 100 });

beforeAll(async () => {
  server = createServer((_, response) => {
    if (status !== "hang") response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  await Promise.all([patient.close(), impatient.close()]);
  server.closeAllConnections();
  server.close();
});

/** What a call comes to whose time is over after a moment. */
async function endSoon(chat: ChatClient): Promise<unknown> {
  const ending = new AbortController();
  const asked = chat.complete({ baseUrl, apiKey: "", body: "{}", signal: ending.signal });
  const settled = asked.catch((error: unknown) => error);
  await sleep(200);
  ending.abort();
  return settled;
}

it("takes a call that the end of time finds long without an answer for a failure", async () => {
  status = "hang";
  const error = await endSoon(impatient);
  expect(error).toBeInstanceOf(TrialError);
  expect(error).toMatchObject({ exceptionType: "ApiResponseStalledError" });
});

it("takes one that has only just begun for the end of time", async () => {
  status = "hang";
  expect(await endSoon(patient)).toMatchObject({ name: "AbortError" });
  status = 503;
  expect(await endSoon(patient)).toMatchObject({ name: "AbortError" });
});
