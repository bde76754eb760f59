/**
 * Runs in the sandbox: listens on 127.0.0.1 and carries what connects over its own stdin and stdout to the runner, which
 * speaks HTTP with it, at the port that its argument names or any. Ends with its stdin.
 */
import { createServer } from "node:net";
import { TunnelLink } from "#scaffolds/tunnel/tunnel-link.ts";

const link = new TunnelLink(process.stdin, process.stdout);
const server = createServer({ allowHalfOpen: true }, (socket) => {
  const connection = link.open();
  if (!connection) return socket.destroy();
  socket.pipe(connection);
  connection.pipe(socket);
  socket.on("error", () => connection.destroy()).on("close", () => connection.destroy());
  connection.on("close", () => {
    if (!connection.readableEnded) socket.destroy();
  });
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) link.sayReady(address.port);
});
void link.ended.then((error) => process.exit(error ? 1 : 0));
