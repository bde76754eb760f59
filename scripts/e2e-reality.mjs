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
const { status } = spawnSync(process.execPath, [join(suites, name, "run.mjs"), ...rest], {
  stdio: ["ignore", "inherit", "inherit"],
});
process.exit(status ?? 1);
