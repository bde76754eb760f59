// `enter.mjs SOCKET PORT COMMAND…`: inside a network namespace of its own, where only loopback is. Raises it, carries
// connections to 127.0.0.1:PORT to the unix socket outside, and runs the command to its end.
import { spawn, spawnSync } from "node:child_process";
import { connect, createServer } from "node:net";

const [socketPath, port, command, ...args] = process.argv.slice(2);
const raised = spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "inherit" });
if (raised.status !== 0) process.exit(97);
const server = createServer((inside) => {
  const outside = connect(socketPath);
  inside.pipe(outside).pipe(inside);
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  inside.on("close", () => outside.destroy());
  outside.on("close", () => inside.destroy());
});
server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(command, args, { stdio: "inherit" });
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(96);
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 98 : 1)));
});
