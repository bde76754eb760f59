import type { RunnerContext } from "#context.ts";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { VerifierEnvironment } from "#tasks/verifier-environment.ts";
import { carryArtifactsIn } from "#trials/carry-artifacts-in.ts";
import type { CarriedArtifact } from "#trials/collect-artifacts.ts";
import {
  enterPhase,
  type HarborAttempt,
  loadedOf,
  type StepRun,
  say,
  verifierFolder,
} from "#trials/harbor-attempt.ts";
import { removeSandbox } from "#trials/remove-sandbox.ts";
import { startVerifierEnvironment, taskEnv } from "#trials/start-environment.ts";
import { verifyHarbor } from "#verifier/verify-harbor.ts";

/** Runs the tests where the task wants them: in the agent's sandbox, or in one of their own that gets the artifacts. */
export async function verifyAttempt(
  ctx: Pick<RunnerContext, "sandboxes" | "programs" | "log">,
  attempt: HarborAttempt,
  run: StepRun,
  { sandbox, artifacts }: { sandbox: Sandbox; artifacts: readonly CarriedArtifact[] },
): Promise<void> {
  const { verifierEnvironment } = run.step;
  if (verifierEnvironment === null) return await verify(attempt, run, sandbox);
  // As in Harbor, the agent's is gone first, unless a step comes that works in it: the two seldom need their memory at once.
  const isLast = loadedOf(attempt).plan.steps.at(-1) === run.step;
  if (isLast) await removeSandbox(ctx, attempt, sandbox);
  await verifyApart(ctx, attempt, run, { environment: verifierEnvironment, artifacts });
}

async function verifyApart(
  ctx: Pick<RunnerContext, "sandboxes" | "programs" | "log">,
  attempt: HarborAttempt,
  run: StepRun,
  {
    environment,
    artifacts,
  }: { environment: VerifierEnvironment; artifacts: readonly CarriedArtifact[] },
): Promise<void> {
  enterPhase(attempt, "verifier", "The verifier's sandbox is made", { sandbox: null, of: run });
  const sandbox = await startVerifierEnvironment(ctx, attempt, run, environment);
  try {
    await carryArtifactsIn(sandbox, artifacts, attempt.signal);
    await verify(attempt, run, sandbox);
  } finally {
    await removeSandbox(ctx, attempt, sandbox);
  }
}

async function verify(attempt: HarborAttempt, run: StepRun, sandbox: Sandbox): Promise<void> {
  const { step } = run;
  const limitS = step.verifier.timeoutS;
  enterPhase(attempt, "verifier", "The verifier starts", { sandbox, of: run, limitS });
  attempt.shells.enter(sandbox);
  const parsed = await verifyHarbor({
    sandbox,
    step,
    env: taskEnv(attempt, step.verifier.env, "[verifier].env"),
    to: verifierFolder(run),
    signal: attempt.signal,
    onPlanted: (paths) =>
      attempt.flags.push({ kind: "reward-planted", evidence: boundedEvidence(paths) }),
    say: (text) => say(attempt, text),
  });
  run.rewards = parsed.rewards;
  if (parsed.conflict) say(attempt, parsed.conflict);
  say(attempt, `The verifier: ${JSON.stringify(parsed.rewards)}`);
}
