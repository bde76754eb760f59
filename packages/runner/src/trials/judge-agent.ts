import type { IntegrityFlag } from "@liverl/contract/rollout";
import type { RunnerContext } from "#context.ts";
import { describeHidden, hideAnswers } from "#integrity/hide-answers.ts";
import { judgeChanges } from "#integrity/judge-changes.ts";
import { judgeLiterals } from "#integrity/judge-literals.ts";
import { judgeNetwork } from "#integrity/judge-network.ts";
import { judgePatch } from "#integrity/judge-patch.ts";
import { compareWithOracle } from "#integrity/oracle-tests.ts";
import { readTexts } from "#integrity/task-texts.ts";
import { scoreOf } from "#tasks/parse-reward.ts";
import { type HarborAttempt, loadedOf, say, verifierFolder } from "#trials/harbor-attempt.ts";
import { findBase, keepPatch, type Looking } from "#trials/keep-patch.ts";

/** Hides the answers that the image has, watches the network, and answers with the commit that the agent starts from. */
export async function prepareForAgent(
  attempt: HarborAttempt,
  looking: Looking,
): Promise<string | null> {
  const { sandbox, signal } = looking;
  const keepsHistory = loadedOf(attempt).task.config.metadata.keep_git_history === true;
  attempt.hidden = await hideAnswers(sandbox, { keepsHistory, signal });
  for (const line of describeHidden(attempt.hidden)) say(attempt, line);
  await sandbox.watchNetwork();
  return await findBase(looking);
}

/** Keeps what the agent left, ends what it left running, and says what is odd about it, before anything of the verifier comes in. */
export async function judgeAgent(
  attempt: HarborAttempt,
  looking: Looking,
  base: string | null,
): Promise<void> {
  const { sandbox } = looking;
  if (base !== null) attempt.flags.push(...(await judgePatchOf(attempt, looking, base)));
  const use = await sandbox.networkUse();
  if (use) attempt.flags.push(...judgeNetwork(use));
  await attempt.shells.endAll(
    "The agent has ended, and with it every process of its sandbox. Open another shell to look at the verifier.",
  );
  // Whatever the agent left running could rewrite what the tests see.
  const { ranOutOfMemory } = await sandbox.endProcesses();
  if (ranOutOfMemory) say(attempt, "The kernel ended a process of the agent: memory ran out");
  // Asked once nothing of the agent runs: it could change a program after it was looked at.
  const changes = await sandbox.changes();
  if (changes) attempt.flags.push(...judgeChanges(changes));
}

async function judgePatchOf(
  attempt: HarborAttempt,
  looking: Looking,
  base: string,
): Promise<IntegrityFlag[]> {
  const kept = await keepPatch(looking, base, attempt);
  if ("fault" in kept) {
    say(attempt, kept.fault);
    return kept.isAgents ? [{ kind: "patch-missing", evidence: [kept.fault] }] : [];
  }
  if (kept.patch === "") return [];
  const { task, step } = loadedOf(attempt);
  const [tests, given, solution] = await Promise.all([
    Promise.all(step.testFolders.map(readTexts)),
    readTexts(task.environmentFolder),
    readTexts(step.solutionFolder),
  ]);
  return [
    ...judgePatch(kept.patch),
    ...judgeLiterals({
      patch: kept.patch,
      tests: tests.flat(),
      known: [step.instruction, ...given, ...solution],
    }),
  ];
}

/** Once the verifier has ended. */
export async function judgeVerified(
  ctx: Pick<RunnerContext, "config">,
  attempt: HarborAttempt,
): Promise<void> {
  const { rewards, scaffold, trial } = attempt;
  attempt.flags.push(
    ...(await compareWithOracle({
      dataDir: ctx.config.dataDir,
      checksum: loadedOf(attempt).checksum,
      verifierDir: verifierFolder(attempt),
      sessionId: trial.change.sessionId,
      agent: scaffold.name,
      score: rewards && scoreOf(rewards),
    })),
  );
}
