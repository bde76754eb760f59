import { access, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { PlannedStep } from "#tasks/plan-task.ts";
import { TrialError } from "#trials/trial-error.ts";
import { waitForHealth } from "#trials/wait-for-health.ts";

const SETUP_SCRIPT = "setup.sh";
const COMMAND_MS = 60_000;
const OUTPUT_BYTES = 4 * 1024;
/** What a step leaves that the agent of the next one is not to see, or that would be taken for the next one's. */
const LEFT = ["/tests", "/solution", "/logs/verifier", "/logs/agent", "/logs/artifacts"] as const;
const MADE_ANEW = ["/logs/verifier", "/logs/agent", "/logs/artifacts"] as const;

/**
 * Between two steps: ends what the tests left running and removes them with all that the step before has left in Harbor's
 * folders. Throws `VerifierTamperedError` where something of it stays.
 */
export async function clearStep(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  await sandbox.endProcesses();
  await sandbox.exec({
    argv: ["/bin/rm", "-rf", ...LEFT],
    user: 0,
    timeoutMs: COMMAND_MS,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  for (const path of LEFT) {
    // Asked of what provides the sandbox: the agent may have put another rm there.
    if (!(await sandbox.has(path))) continue;
    throw new TrialError(
      "VerifierTamperedError",
      `${path} of the step before could not be removed: the agent has changed the sandbox's own programs.`,
    );
  }
  await sandbox.makeFolders(MADE_ANEW);
}

/**
 * A step's own files into the working directory, its `setup.sh` and its healthcheck, all as the step's agent, as Harbor does
 * it. Throws `StepSetupError` and `HealthcheckError`.
 */
export async function setUpStep(
  sandbox: Sandbox,
  step: PlannedStep,
  { timeoutS, signal }: { timeoutS: number | null; signal: AbortSignal },
): Promise<void> {
  const { workdirFolder, healthcheck, agent } = step;
  if (workdirFolder !== null) {
    const workdir = await workdirOf(sandbox, step, signal);
    // One by one: the working directory itself keeps its owner.
    for (const name of (await readdir(workdirFolder)).sort())
      await sandbox.upload(join(workdirFolder, name), posix.join(workdir, name));
    const script = join(workdirFolder, SETUP_SCRIPT);
    if (await isThere(script)) await runSetup(sandbox, step, { workdir, timeoutS, signal });
  }
  if (healthcheck) await waitForHealth(sandbox, healthcheck, { user: agent.user, signal });
}

async function runSetup(
  sandbox: Sandbox,
  step: PlannedStep,
  { workdir, timeoutS, signal }: { workdir: string; timeoutS: number | null; signal: AbortSignal },
): Promise<void> {
  const { exitCode, output } = await sandbox.exec({
    argv: ["bash", posix.join(workdir, SETUP_SCRIPT)],
    user: step.agent.user,
    timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  if (exitCode === 0) return;
  const why =
    exitCode === null ? `was killed after ${timeoutS} seconds` : `exited with ${exitCode}`;
  throw new TrialError(
    "StepSetupError",
    `${SETUP_SCRIPT} of step ${step.name} ${why}. ${output}`.trim(),
  );
}

async function workdirOf(
  sandbox: Sandbox,
  { agent: { user } }: PlannedStep,
  signal: AbortSignal,
): Promise<string> {
  const { output } = await sandbox.exec({
    argv: ["pwd"],
    ...{ user, signal, timeoutMs: COMMAND_MS, maxOutputBytes: OUTPUT_BYTES },
  });
  return output.trim() || "/";
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
