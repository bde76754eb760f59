// `npm run e2e:reality -- NAME […]`: runs e2e/reality/NAME/run.mjs, a suite against an outside system for real.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const suites = fileURLToPath(new URL("../e2e/reality", import.meta.url));
const known = readdirSync(suites).filter((name) => existsSync(join(suites, name, "run.mjs")));
const [name, ...rest] = process.argv.slice(2);
if (!name || !known.includes(name)) {
  process.stderr.write(`Which suite? npm run e2e:reality -- ${known.join(" | ")}\n`);
  process.exit(2);
}
// What the suites drive the proxy by is there before they are loaded; each builds the rest of what it needs itself.
const built = spawnSync(process.execPath, ["scripts/build.mjs", "--only=admin-client"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: ["ignore", "ignore", "inherit"],
});
if (built.status !== 0) process.exit(1);
const { status } = spawnSync(process.execPath, [join(suites, name, "run.mjs"), ...rest], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);
