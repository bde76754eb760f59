import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunnerContext } from "#context.ts";
import { acceptShells } from "#shells/accept-shells.ts";

let server: Server;
beforeAll(async () => {
  server = createServer();
  const closing = new AbortController().signal;
  // Whoever is refused has nothing of it asked but this.
  acceptShells({ closing } as unknown as RunnerContext, server, "the-token");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());

/** The first line that answers an upgrade on a bare socket: no client would send such paths. */
async function upgrade(path: string, ...headers: string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const lines = [`GET ${path} HTTP/1.1`, "Host: x", "Connection: Upgrade", "Upgrade: websocket"];
  socket.write(`${[...lines, ...headers].join("\r\n")}\r\n\r\n`);
  return (await text(socket)).split("\r\n")[0] ?? "";
}

it.each(["/", "//", "//[", "/a", "http://[", "/%zz"])(
  "%s opens nothing and harms nobody",
  async (path) => {
    expect(await upgrade(path)).toBe("HTTP/1.1 401 Refused");
    expect(await upgrade(path, "Authorization: Bearer the-token")).toBe("HTTP/1.1 404 Refused");
  },
);
