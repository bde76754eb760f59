// Static checks: biome, tsc in every workspace, knip. Each counts as one test.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function staticChecks() {
  const workspaces = ["apps", "packages"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return [
    { name: "biome", argv: ["node_modules/.bin/biome", "ci", "--diagnostic-level=error"] },
    ...[...workspaces, "prisma", "e2e", "bench"]
      .filter((folder) => existsSync(join(root, folder, "tsconfig.json")))
      .map((folder) => ({
        name: `tsc ${folder}`,
        argv: ["node_modules/.bin/tsc", "--noEmit", "-p", folder],
      })),
    { name: "knip", argv: ["node_modules/.bin/knip"] },
  ];
}

/** Runs those whose name begins with `only`, one by one; prints the output of those that fail. */
export function runChecks(only = "") {
  const result = { passed: 0, failed: 0 };
  for (const { name, argv } of staticChecks().filter((check) => check.name.startsWith(only))) {
    const [command, ...args] = argv;
    const { status, stdout, stderr } = spawnSync(join(root, command), args, {
      cwd: root,
      encoding: "utf8",
    });
    if (status === 0) result.passed++;
    else {
      result.failed++;
      process.stderr.write(`✗ ${name}\n${stdout}${stderr}\n`);
    }
  }
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = runChecks();
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exit(failed ? 1 : 0);
}
