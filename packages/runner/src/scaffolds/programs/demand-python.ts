import { runInstaller } from "#scaffolds/programs/run-installer.ts";
import { TrialError } from "#trials/trial-error.ts";

const LOOK = `import sys
if sys.version_info < (3, 12):
    sys.exit("it is Python " + sys.version.split()[0])
import pip`;

/** Throws `AgentSetupError` where the runner's Python can not install agents. */
export async function demandPython(python: string): Promise<void> {
  const why = await runInstaller(python, ["-I", "-c", LOOK], "/");
  if (why === null) return;
  throw new TrialError(
    "AgentSetupError",
    `${python} can not be used for agents of Python: ${why.split("\n").at(-1)}. Set LIVERL_PYTHON, where LiveRL is started, to a Python 3.12 or newer that has pip.`,
  );
}
