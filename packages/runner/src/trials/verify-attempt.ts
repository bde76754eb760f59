import type { RunnerContext } from "#context.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { VerifierEnvironment } from "#tasks/verifier-environment.ts";
import { carryArtifactsIn } from "#trials/carry-artifacts-in.ts";
import type { CarriedArtifact } from "#trials/collect-artifacts.ts";
import {
  enterPhase,
  type HarborAttempt,
  loadedOf,
  say,
  verifierFolder,
} from "#trials/harbor-attempt.ts";
import { removeSandbox } from "#trials/remove-sandbox.ts";
import { startVerifierEnvironment, taskEnv } from "#trials/start-environment.ts";
import { verifyHarbor } from "#verifier/verify-harbor.ts";

/** Runs the tests where the task wants them: in the agent's sandbox, or in one of their own that gets the artifacts. */
export async function verifyAttempt(
  ctx: Pick<RunnerContext, "sandboxes" | "log">,
  attempt: HarborAttempt,
  sandbox: Sandbox,
  artifacts: readonly CarriedArtifact[],
): Promise<void> {
  const { verifierEnvironment } = loadedOf(attempt).step;
  if (verifierEnvironment === null) return await verify(attempt, sandbox);
  // As in Harbor, the agent's is gone first: the two never need their memory at once.
  await removeSandbox(ctx, attempt, sandbox);
  await verifyApart(ctx, attempt, verifierEnvironment, artifacts);
}

async function verifyApart(
  ctx: Pick<RunnerContext, "sandboxes" | "log">,
  attempt: HarborAttempt,
  environment: VerifierEnvironment,
  artifacts: readonly CarriedArtifact[],
): Promise<void> {
  enterPhase(attempt, "verifier", "The verifier's sandbox is made", { sandbox: null });
  const sandbox = await startVerifierEnvironment(ctx, attempt, environment);
  try {
    await carryArtifactsIn(sandbox, artifacts, attempt.signal);
    await verify(attempt, sandbox);
  } finally {
    await removeSandbox(ctx, attempt, sandbox);
  }
}

async function verify(attempt: HarborAttempt, sandbox: Sandbox): Promise<void> {
  const { step } = loadedOf(attempt);
  const limitS = step.verifier.timeoutS;
  enterPhase(attempt, "verifier", "The verifier starts", { sandbox, limitS });
  attempt.shells.enter(sandbox);
  const parsed = await verifyHarbor({
    sandbox,
    step,
    env: taskEnv(attempt, step.verifier.env, "[verifier].env"),
    to: verifierFolder(attempt),
    signal: attempt.signal,
    onPlanted: (paths) => attempt.flags.push({ kind: "reward-planted", evidence: [...paths] }),
  });
  attempt.rewards = parsed.rewards;
  if (parsed.conflict) say(attempt, parsed.conflict);
  say(attempt, `The verifier: ${JSON.stringify(parsed.rewards)}`);
}
