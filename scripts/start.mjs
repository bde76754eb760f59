// `npm start`: checks Node, installs, builds, then becomes the control plane's parent. Node's own modules only.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNode, install, warnOfOldNode } from "./install.mjs";
import { isParentGone, onParentGone } from "./on-parent-gone.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const argv = process.argv.slice(2);

function fail(line, code = 1) {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}

checkNode(fail);
// Only now: a Node that is too old lacks what these need.
const { parseArguments, USAGE } = await import("../apps/control/src/arguments.mjs");
const { holdLock } = await import("./checkout-lock.mjs");
if (argv.includes("--help") || argv.includes("-h")) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const { faults } = parseArguments(argv);
if (faults.length > 0) fail(faults.join("\n"), 2);
warnOfOldNode();

const release = await holdLock(join(root, "dist/install-and-build.lock"), (holder) =>
  process.stderr.write(
    `Process ${holder} installs or builds in ${root}: waiting until it is done\n`,
  ),
);
process.once("exit", release);
const began = Date.now();
await install({ dev: false, fail });
const build = spawnSync(process.execPath, ["scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (build.status !== 0)
  fail(
    "The build failed; the lines above say where. A full disk and an interrupted install are the usual causes.",
  );
process.off("exit", release);
release();
if (isParentGone()) fail("npm was ended meanwhile: nothing was started", 143);
process.stderr.write(`Installed and built in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);

const control = spawn(process.execPath, ["--enable-source-maps", "dist/control.mjs", ...argv], {
  cwd: root,
  stdio: "inherit",
});
// The terminal sends Ctrl-C to the whole group; a plain `kill` reaches only us.
let asked = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (asked || signal !== "SIGINT") control.kill(signal === "SIGINT" ? "SIGTERM" : signal);
    else if (!process.stdin.isTTY) control.kill("SIGTERM");
    asked = true;
  });
}
onParentGone(() => {
  asked = true;
  control.kill("SIGTERM");
});
control.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 1)));
