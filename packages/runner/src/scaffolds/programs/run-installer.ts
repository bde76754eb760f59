import { spawn } from "node:child_process";

const DEADLINE_MS = 10 * 60_000;
const MAX_TOLD = 2_000;

/** Runs a program to its end, ten minutes at most. Null when it went well, else its last words. */
export function runInstaller(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
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
}
