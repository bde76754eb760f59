import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EgressGateway } from "#sandboxes/egress/egress-gateway.ts";

const SECRET = "what the host serves";
const LARGE = Buffer.alloc(20_000_000, "x");
/** Of this host, and not its loopback, which is never let through. */
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

let host: Server;
let port: number;
let gateway: EgressGateway;
let proxy: ReturnType<typeof createTcpServer>;
beforeAll(async () => {
  host = createServer((asked, response) =>
    asked.url === "/large"
      ? response.end(LARGE)
      : response.end(`${SECRET} ${asked.method} ${asked.url} ${asked.headers.host}`),
  ).listen(0, "0.0.0.0");
  await once(host, "listening");
  port = (host.address() as AddressInfo).port;
  gateway = new EgressGateway(["named.example", "rebound.example", own ?? ""], {
    // Stands in for the host's resolver.
    resolve: async (name) => {
      if (name === "rebound.example") return ["127.0.0.1", "169.254.169.254"];
      if (name === "named.example") return ["127.0.0.1", own ?? ""];
      return [name];
    },
  });
  // Stands in for the helper in a sandbox and the streams to it.
  proxy = createTcpServer({ allowHalfOpen: true }, (socket) => gateway.serve(socket)).listen(
    0,
    "127.0.0.1",
  );
  await once(proxy, "listening");
});
afterAll(() => {
  proxy.close();
  host.closeAllConnections();
  host.close();
});
const proxyPort = () => (proxy.address() as AddressInfo).port;

/** Status and text of a plain request by way of the proxy. */
async function get(url: string): Promise<{ status: number | undefined; text: string }> {
  const asked = request({ host: "127.0.0.1", port: proxyPort(), path: url, agent: false }).end();
  const [answer] = await once(asked, "response");
  return { status: answer.statusCode, text: await text(answer) };
}

/** What comes back where CONNECT is asked for, and then the host's page. */
async function tunnel(target: string, path = "/tunnelled"): Promise<string> {
  const socket = connect(proxyPort(), "127.0.0.1");
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const [head] = await once(socket, "data");
  if (!String(head).startsWith("HTTP/1.1 200")) {
    const rest = await text(socket);
    return `${head}${rest}`;
  }
  socket.end(`GET ${path} HTTP/1.0\r\n\r\n`);
  return await text(socket);
}

it.runIf(own)("leads to an allowed host, by its name and by its address", async () => {
  const plain = await get(`http://named.example:${port}/path?a=b`);
  expect(plain).toEqual({
    status: 200,
    text: `${SECRET} GET /path?a=b named.example:${port}`,
  });
  expect((await get(`http://${own}:${port}/`)).text).toContain(SECRET);
  expect(await tunnel(`named.example:${port}`)).toContain(`${SECRET} GET /tunnelled`);
  // To its last byte.
  const large = await tunnel(`named.example:${port}`, "/large");
  expect(large.slice(large.indexOf("\r\n\r\n") + 4)).toHaveLength(LARGE.length);
  expect((await get(`http://named.example:${port}/large`)).text).toHaveLength(LARGE.length);
  const { peers, bytes } = gateway.use();
  expect(peers).toContain(`named.example:${port} (allowed)`);
  expect(bytes.received).toBeGreaterThan(0);
});

it("leads nowhere else, and says so", async () => {
  for (const target of [`other.example:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    const answer = await get(`http://${target}/`);
    expect(answer.status).toBe(403);
    expect(answer.text).toMatch(/is not among the hosts that this task may reach: named\.example/);
    const opened = await tunnel(target);
    expect(opened).toMatch(/^HTTP\/1\.1 403 /);
    expect(opened).not.toContain(SECRET);
  }
});

it("does not follow a name into this machine", async () => {
  const answer = await get(`http://rebound.example:${port}/`);
  expect(answer).toEqual({
    status: 403,
    text: "rebound.example leads to an address of this machine or of its own network, which is not listed.\n",
  });
  expect(await tunnel(`rebound.example:${port}`)).not.toContain(SECRET);
});

it.each(["/path", "https://named.example/", "ftp://named.example/"])(
  "takes no %s as an address",
  async (url) => {
    expect((await get(url)).status).toBe(403);
  },
);

it("a host that does not answer is a bad gateway", async () => {
  const closed = createTcpServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  expect((await get(`http://${own}:${free}/`)).status).toBe(502);
  expect(await tunnel(`${own}:${free}`)).toMatch(/^HTTP\/1\.1 502 /);
});
