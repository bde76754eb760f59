import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Duplex } from "node:stream";

const CONNECT_S = 15;
const MOST_ERRORS = 2_000;

/**
 * A connection to the Docker daemon of another host through the `ssh` of this one, as Docker's client makes it: its
 * configuration, its keys and the hosts that it knows count. Ends with what ssh said where that failed.
 */
export class SshConnection extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams;
  #errors = "";

  constructor({ username, hostname, port }: URL) {
    super();
    this.#child = spawn("ssh", [
      ...["-T", "-o", "BatchMode=yes", "-o", `ConnectTimeout=${CONNECT_S}`],
      ...(port ? ["-p", port] : []),
      ...["--", username ? `${username}@${hostname}` : hostname],
      "docker system dial-stdio",
    ]);
    const { stdin, stdout, stderr } = this.#child;
    stdout.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) stdout.pause();
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-MOST_ERRORS);
    });
    // Its end is told by how it ended.
    stdin.on("error", () => undefined);
    this.#child.once("error", (error) => this.destroy(failed(error.message)));
    this.#child.once("close", (code) => {
      if (code === 0) this.push(null);
      else this.destroy(failed(this.#errors.trim().split("\n").at(-1) || `it ended with ${code}`));
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    // One that ssh no longer takes is told by how ssh ended.
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(done);
  }

  // What an agent of HTTP asks of a socket that it keeps.
  ref(): void {
    this.#child.ref();
  }

  unref(): void {
    this.#child.unref();
  }

  setKeepAlive(): void {}

  setNoDelay(): void {}

  setTimeout(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#child.kill();
    done(error);
  }
}

/** What a person has to mend; anything else may pass. */
const REFUSED = /verification failed|permission denied|ENOENT/i;

const failed = (why: string) =>
  Object.assign(new Error(`ssh: ${why}`), {
    code: REFUSED.test(why) ? "ERR_SSH_REFUSED" : "ECONNREFUSED",
  });
