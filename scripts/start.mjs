// `npm start`: checks Node, installs, builds, then becomes the control plane's parent. Node's own modules only.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkNode, install } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

checkNode(fail);
const began = Date.now();
install({ dev: false, fail });
const build = spawnSync(process.execPath, ["scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (build.status !== 0)
  fail(
    "The build failed; the lines above say where. A full disk and an interrupted install are the usual causes.",
  );
process.stderr.write(`Installed and built in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);

const control = spawn(
  process.execPath,
  ["--enable-source-maps", "dist/control.mjs", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
  },
);
// The terminal sends Ctrl-C to the whole group; a plain `kill` reaches only us.
let asked = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (asked || signal !== "SIGINT") control.kill(signal === "SIGINT" ? "SIGTERM" : signal);
    else if (!process.stdin.isTTY) control.kill("SIGTERM");
    asked = true;
  });
}
control.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 1)));
