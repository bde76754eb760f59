// `npm run bench -- NAME [--json]`: each bench makes its own data directory and ports, and prints one JSON object last.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNode, install, stop } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const known = readdirSync(join(root, "bench"))
  .filter((name) => name.endsWith(".bench.mjs"))
  .map((name) => name.slice(0, -10));
const [name, ...rest] = process.argv.slice(2);
if (!name || !known.includes(name)) {
  process.stderr.write(`Which bench? npm run bench -- ${known.join(" | ")}\n`);
  process.exit(2);
}
checkNode(stop);
await install({ dev: true, fail: stop });
const built = spawnSync(process.execPath, ["scripts/build.mjs"], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const { status } = spawnSync(process.execPath, [join(root, `bench/${name}.bench.mjs`), ...rest], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);
