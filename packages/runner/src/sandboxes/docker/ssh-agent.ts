import { Agent } from "node:http";
import { SshConnection } from "#sandboxes/docker/ssh-connection.ts";

const CONNECTIONS = 64;

/** Connections to the daemon of another host, each kept for the next request. */
export class SshAgent extends Agent {
  readonly #url: URL;

  /** `ssh://[USER@]HOST[:PORT]` */
  constructor(url: string) {
    super({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
    this.#url = new URL(url);
  }

  createConnection(): SshConnection {
    return new SshConnection(this.#url);
  }
}
