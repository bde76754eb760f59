import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Heard {
  method: string;
  path: string;
  status: number;
}

/** Passes everything on to a real server, byte by byte, and writes down what was asked and how it was answered. */
export class Relay {
  readonly url: string;
  readonly heard: Heard[] = [];
  readonly #server: Server;

  private constructor(server: Server, heard: Heard[]) {
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    this.#server = server;
    this.heard = heard;
  }

  static async start(target: string): Promise<Relay> {
    const heard: Heard[] = [];
    const { host } = new URL(target);
    const server = createServer((asked, answer) => {
      const { method = "GET", url = "/" } = asked;
      const onward = request(
        `${target}${url}`,
        // A connection for each: one that is kept may be closed while it is used again.
        { method, headers: { ...asked.headers, host, connection: "close" }, agent: false },
        (answered) => {
          const status = answered.statusCode ?? 0;
          heard.push({ method, path: url.split("?")[0] ?? "", status });
          answer.writeHead(status, answered.headers);
          answered.pipe(answer);
        },
      );
      onward.once("error", () => answer.destroy());
      answer.once("close", () => onward.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Relay(server, heard);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
