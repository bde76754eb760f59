import { finished, type Scaffold } from "#scaffolds/harbor/scaffold.ts";
import { TrialError } from "#trials/trial-error.ts";

const OUTPUT_BYTES = 64 * 1024;

/** The task's own solution: a task that does not reward it is broken. Its output goes to `/logs/agent/oracle.txt`. */
export const oracle: Scaffold = {
  name: "oracle",
  version: "1",
  output: "oracle.txt",
  run: async ({ sandbox, step, solutionEnv, signal }) => {
    if (step.solutionFolder === null)
      throw new TrialError(
        "AgentSetupError",
        "The task has no solution/solve.sh, so the agent oracle can not run it. Choose another agent.",
      );
    await sandbox.upload(step.solutionFolder, "/solution");
    const { exitCode, output } = await sandbox.exec({
      argv: ["sh", "-c", "/solution/solve.sh > /logs/agent/oracle.txt 2>&1"],
      user: step.agent.user,
      env: { ...solutionEnv(), DEBIAN_FRONTEND: "noninteractive" },
      timeoutMs: null,
      maxOutputBytes: OUTPUT_BYTES,
      signal,
    });
    if (exitCode === 0) return finished;
    return {
      termination: "agent-error",
      exception: {
        exception_type: "NonZeroAgentExitCodeError",
        exception_message: `solve.sh exited with ${exitCode}. ${output}`.trim(),
        occurred_at: new Date().toISOString(),
      },
    };
  },
};
