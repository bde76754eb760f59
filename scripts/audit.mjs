// `npm run audit -- --data-dir D [--run ID] [--json]`: builds what is missing, then audits the recorded tokens of a run.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundles = ["audit", "audit-logprobs"];
if (!bundles.every((name) => existsSync(join(root, `dist/${name}.mjs`)))) {
  spawnSync(process.execPath, ["scripts/build.mjs", `--only=${bundles.join(",")}`], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
const { status } = spawnSync(
  process.execPath,
  [join(root, "dist/audit.mjs"), ...process.argv.slice(2)],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
