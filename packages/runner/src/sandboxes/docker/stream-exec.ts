import { type Duplex, Readable } from "node:stream";
import type { Container } from "dockerode";
import type { CommandStream, StreamCommand } from "#sandboxes/sandbox.ts";

/** Of Docker's frames around the output of an exec: stream, three zeros, length. */
const HEADER_BYTES = 8;
const STDERR = 2;
const MAX_ERRORS = 4_000;

/** Starts a command whose streams stay open. Throws what the daemon says, raw. */
export async function streamExec(
  container: Container,
  { argv, user, signal }: StreamCommand,
): Promise<CommandStream> {
  signal.throwIfAborted();
  const exec = await container.exec({
    Cmd: [...argv],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    ...(user !== null && { User: String(user) }),
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  stream.on("error", () => undefined);
  let errors = "";
  const output = Readable.from(
    outputOf(stream, (text) => {
      errors = (errors + text).slice(-MAX_ERRORS);
    }),
    { objectMode: false },
  );
  output.on("error", () => undefined);
  const close = () => {
    stream.destroy();
    output.destroy();
  };
  signal.addEventListener("abort", close, { once: true });
  return {
    input: stream,
    output,
    errors: () => errors,
    isRunning: async () => (await exec.inspect()).Running,
    close: () => {
      signal.removeEventListener("abort", close);
      close();
    },
  };
}

/** What the command wrote to stdout, read as it is taken: Docker's own splitter would keep all that is not. */
async function* outputOf(stream: Duplex, onError: (text: string) => void): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let left = 0;
  let isError = false;
  for await (const chunk of stream) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (left > 0 ? rest.length > 0 : rest.length >= HEADER_BYTES) {
      if (left === 0) {
        isError = rest.readUInt8(0) === STDERR;
        left = rest.readUInt32BE(4);
        rest = rest.subarray(HEADER_BYTES);
        continue;
      }
      const part = rest.subarray(0, left);
      left -= part.length;
      rest = rest.subarray(part.length);
      if (isError) onError(part.toString("utf8"));
      else yield part;
    }
  }
}
