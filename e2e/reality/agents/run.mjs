// Builds the proxy and the suite, then runs it; `main.ts` says what it does.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = spawnSync(process.execPath, ["scripts/build.mjs", "--only=proxy,reality-agents"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", "dist/reality-agents.mjs", ...process.argv.slice(2)],
  { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
);
process.exit(status ?? 1);
