import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TrialError } from "#trials/trial-error.ts";

const DEADLINE_MS = 10 * 60_000;
const MAX_TOLD = 2_000;

/**
 * One package of an exact version with what it depends on, into a folder of its own. Its install scripts do not run.
 * Throws `AgentSetupError` with npm's last words.
 */
export async function npmInstall(spec: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{"private": true}\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", spec];
  const why = await new Promise<string | null>((resolve) => {
    const child = spawn("npm", args, {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-MAX_TOLD);
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? null : errors.trim() || `exit code ${code}`));
  });
  if (why === null) return;
  throw new TrialError(
    "AgentSetupError",
    `npm can not install ${spec}: ${why}\nCheck that npm is on the runner's PATH and reaches its registry.`,
  );
}
