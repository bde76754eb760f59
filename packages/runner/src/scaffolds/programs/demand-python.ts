import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { TrialError } from "#trials/trial-error.ts";

const run = promisify(execFile);
const LOOK = `import sys
if sys.version_info < (3, 12):
    sys.exit("it is Python " + sys.version.split()[0])
import pip
print(sys.executable, sys.version)`;
const LOOK_MS = 60_000;

/** Which Python this is: what was installed with another one may not run on it. Throws `AgentSetupError` where it can install no agents. */
export async function demandPython(python: string): Promise<string> {
  try {
    return (await run(python, ["-I", "-c", LOOK], { timeout: LOOK_MS })).stdout;
  } catch (error) {
    throw new TrialError(
      "AgentSetupError",
      `${python} can not be used for agents of Python: ${lastWords(error)}. Set LIVERL_PYTHON, where LiveRL is started, to a Python 3.12 or newer that has pip.`,
      error,
    );
  }
}

function lastWords(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  const told = stderr || (error instanceof Error ? error.message : String(error));
  return told.split("\n").at(-1) ?? "";
}
