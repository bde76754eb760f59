import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiClient } from "#client/api-client.ts";

let server: Server;
let client: ApiClient;

beforeAll(async () => {
  // Node's own server, which reads some 16 kB of an address; what it reads it answers as some other program would.
  server = createServer((_, response) => response.writeHead(418).end("a teapot"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  client = new ApiClient({ url: `http://127.0.0.1:${port}`, token: "t" });
});
afterAll(() => server.close());

test("an address that is too long is said to be so, and not said again", async () => {
  await expect(client.open("GET", `/api/v1/run/get?id=${"x".repeat(100_000)}`)).rejects.toThrow(
    /^What is asked is too long for an address: ask for less\.$/,
  );
});

test("another program's answer is told by its address, without what was asked", async () => {
  await expect(client.open("GET", "/api/v1/run/get?id=a-secret")).rejects.toThrow(
    /\/api\/v1\/run\/get answered 418, and not as LiveRL does/,
  );
});
