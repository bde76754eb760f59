import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Stands in for an API server: a test says what each path answers. The suite `e2e:reality -- kuberay` asks a real one the
 * same.
 */
export class KubeStandIn {
  readonly answers = new Map<string, Answer>();
  readonly requests: string[] = [];
  #folder = "";
  readonly #server = createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    this.requests.push(`${request.method} ${path}`);
    const answer = this.answers.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404).end("404 page not found\n");
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#folder = await mkdtemp(join(tmpdir(), "liverl-kube-"));
    await writeFile(
      this.kubeconfig,
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
        clusters: [{ name: "c", cluster: { server: this.url, "insecure-skip-tls-verify": true } }],
        users: [{ name: "u", user: { token: "t" } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      }),
    );
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get kubeconfig(): string {
    return join(this.#folder, "config");
  }

  json(path: string, body: object, status = 200): void {
    this.answers.set(path, (_request, response) => send(response, status, body));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true });
  }
}

export function send(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
