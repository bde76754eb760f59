import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "#reality/agents/env.ts";
import { PACKAGES, type PackageName } from "#reality/agents/install/packages.ts";

const DEADLINE_MS = 5 * 60_000;

/** Folder and program of an installed client, or why it could not be had. */
export type Installed = { directory: string; program: string } | { missing: string };

/**
 * Installs one client at its pinned version into the cache, once. Install scripts do not run: the packages hold
 * the programs themselves.
 */
export async function installPackage(name: PackageName): Promise<Installed> {
  const { kind, specs, program } = PACKAGES[name];
  const version = specs.map((spec) => spec.split(/@|==/).at(-1)).join("+");
  const directory = join(env.LIVERL_REALITY_CACHE, `${name}-${version}`);
  const installed = { directory, program: join(directory, program) };
  const stamp = join(directory, ".complete");
  if (existsSync(stamp)) return installed;
  process.stderr.write(`installing ${specs.join(" ")}\n`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "package.json"), '{"private": true}\n');
  const commands =
    kind === "npm"
      ? [["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", ...specs]]
      : [
          ["python3", "-m", "venv", directory],
          [join(directory, "bin/python"), "-m", "pip", "install", "--quiet", ...specs],
        ];
  for (const command of commands) {
    const why = await execute(command, directory);
    if (why !== null) return { missing: `${command.slice(0, 4).join(" ")} … failed: ${why}` };
  }
  if (!existsSync(installed.program))
    return { missing: `${specs.join(" ")} has no ${program} on this platform` };
  await writeFile(stamp, "");
  return installed;
}

/** Null when it went well, else the last line of what it said. */
function execute([command = "", ...args]: readonly string[], cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => {
      if (code === 0) return resolve(null);
      const lines = errors.split("\n").filter((line) => /error/i.test(line));
      resolve(lines.slice(0, 3).join("; ") || `exit code ${code}`);
    });
  });
}
