import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import type { IntegrityFlag } from "@liverl/contract/rollout";
import type { RunnerConfig } from "#config.ts";
import { describeHidden, hideAnswers } from "#integrity/hide-answers.ts";
import { type FileChange, judgeChanges } from "#integrity/judge-changes.ts";
import { judgeLiterals } from "#integrity/judge-literals.ts";
import { judgeNetwork, type NetworkUse, useSince } from "#integrity/judge-network.ts";
import { judgePatch } from "#integrity/judge-patch.ts";
import { compareWithOracle } from "#integrity/oracle-tests.ts";
import { readTexts } from "#integrity/task-texts.ts";
import type { Changes, Sandbox } from "#sandboxes/sandbox.ts";
import { findScore } from "#tasks/parse-reward.ts";
import {
  blameAgent,
  type HarborAttempt,
  loadedOf,
  type StepRun,
  say,
  verifierFolder,
} from "#trials/harbor-attempt.ts";
import { findBase, findTree, keepPatch, type Looking } from "#trials/keep-patch.ts";
import { endedByAgent, hasEndedItself } from "#trials/own-ends.ts";

/** What was there when the agent began a step and is not its work: set-up, and what earlier steps and their tests left. */
export interface Before {
  /** The folder as it was; null where it is no repository. */
  tree: string | null;
  changes: readonly FileChange[];
  network: NetworkUse | null;
}

/**
 * Hides the answers that the image has, watches the network, and notes what is there before the agent; null in a task
 * without steps, whose agent has the image as it is.
 */
export async function prepareForAgent(
  attempt: HarborAttempt,
  run: StepRun,
  looking: Looking,
): Promise<Before | null> {
  const { sandbox, signal } = looking;
  if (attempt.hidden === null) {
    const keepsHistory = loadedOf(attempt).task.config.metadata.keep_git_history === true;
    attempt.hidden = await hideAnswers(sandbox, { keepsHistory, signal });
    for (const line of describeHidden(attempt.hidden)) say(attempt, line);
  }
  await sandbox.watchNetwork();
  attempt.base ??= await findBase(looking);
  if (run.step.name === null) return null;
  return {
    tree: attempt.base === null ? null : await findTree(looking),
    changes: listOf(await sandbox.changes()),
    network: await sandbox.networkUse(),
  };
}

const listOf = (changes: Changes | null) =>
  changes === null || changes === "too-many" ? [] : changes;

/** Keeps what the agent left, ends what it left running, and says what is odd about it, before anything of the verifier comes in. */
export async function judgeAgent(
  attempt: HarborAttempt,
  run: StepRun,
  looking: Looking,
  before: Before | null,
): Promise<void> {
  const { sandbox } = looking;
  try {
    attempt.flags.push(...(await judgeLiving(attempt, run, looking, before)));
  } catch (error) {
    if (!hasEndedItself(error)) throw error;
    // What it left running goes on until here, and may end the sandbox as the agent itself may.
    blameAgent(attempt, run, error);
    await endAgents(attempt, run, sandbox);
    // One that ends anew at once was changed so by the agent.
    const judged = await judgeLiving(attempt, run, looking, before).catch((again: unknown) => {
      throw hasEndedItself(again) ? endedByAgent(again) : again;
    });
    attempt.flags.push(...judged);
  }
  await attempt.shells.endAll(
    "The agent has ended, and with it every process of its sandbox. Open another shell to look at the verifier.",
  );
  await endAgents(attempt, run, sandbox);
  // Asked once nothing of the agent runs: it could change a program after it was looked at.
  attempt.flags.push(...(await judgeLeft(sandbox, before)));
}

/** What is judged while the sandbox is as the agent left it: its patch, and its network, which ends with it. */
async function judgeLiving(
  attempt: HarborAttempt,
  run: StepRun,
  looking: Looking,
  before: Before | null,
): Promise<IntegrityFlag[]> {
  const flags = await judgeWork(attempt, run, looking, before);
  const use = await looking.sandbox.networkUse();
  return use ? [...flags, ...judgeNetwork(useSince(use, before?.network ?? null))] : flags;
}

/** Whatever the agent left running could rewrite what the tests see. A sandbox that it ended is there again, or is lost by its doing. */
async function endAgents(attempt: HarborAttempt, run: StepRun, sandbox: Sandbox): Promise<void> {
  try {
    const { ranOutOfMemory, end } = await sandbox.endProcesses();
    if (end) blameAgent(attempt, run, end);
    if (ranOutOfMemory) say(attempt, "The kernel ended a process of the agent: memory ran out");
  } catch (error) {
    if (!hasEndedItself(error)) throw error;
    blameAgent(attempt, run, error);
    throw endedByAgent(error);
  }
}

async function judgeLeft(sandbox: Sandbox, before: Before | null): Promise<IntegrityFlag[]> {
  const changes = await sandbox.changes();
  if (changes === null) return [];
  if (changes === "too-many")
    return [
      { kind: "changes-unknown", evidence: ["there are more changed files than can be looked at"] },
    ];
  const own = changesSince(changes, before?.changes ?? []);
  return judgeChanges(own, await sandbox.searchPath());
}

function changesSince(
  changes: readonly FileChange[],
  before: readonly FileChange[],
): readonly FileChange[] {
  const keyOf = ({ path, change }: FileChange) => `${change} ${path}`;
  const known = new Set(before.map(keyOf));
  return changes.filter((one) => !known.has(keyOf(one)));
}

/** The patch of the whole trial, and in a task of steps the one of this step, which is judged. */
async function judgeWork(
  attempt: HarborAttempt,
  run: StepRun,
  looking: Looking,
  before: Before | null,
): Promise<IntegrityFlag[]> {
  const { base, secrets } = attempt;
  if (base === null) return [];
  const whole = await keepPatch(looking, base, attempt);
  if ("fault" in whole) {
    say(attempt, whole.fault);
    return whole.isAgents ? [{ kind: "patch-missing", evidence: [whole.fault] }] : [];
  }
  if (before === null || before.tree === null) return await judgePatchOf(attempt, run, whole.patch);
  await mkdir(run.root, { recursive: true });
  const own = await keepPatch(looking, before.tree, { root: run.root, secrets });
  if (!("fault" in own)) return await judgePatchOf(attempt, run, own.patch);
  // Objects that no commit has, pruned: the whole patch has the step's work, too.
  say(attempt, own.fault);
  return await judgePatchOf(attempt, run, whole.patch);
}

async function judgePatchOf(
  attempt: HarborAttempt,
  { step }: StepRun,
  patch: string,
): Promise<IntegrityFlag[]> {
  if (patch === "") return [];
  const { task } = loadedOf(attempt);
  const [tests, given, solution] = await Promise.all([
    Promise.all(step.testFolders.map(readTexts)),
    readTexts(task.environmentFolder),
    readTexts(step.solutionFolder),
  ]);
  return [
    ...judgePatch(patch),
    ...judgeLiterals({
      patch,
      tests: tests.flat(),
      known: [step.instruction, ...given, ...solution],
    }),
  ];
}

/** Once the verifier has ended. */
export async function judgeVerified(
  { config }: { config: Pick<RunnerConfig, "dataDir"> },
  attempt: HarborAttempt,
  run: StepRun,
): Promise<void> {
  const { scaffold, trial } = attempt;
  const { rewards, step } = run;
  attempt.flags.push(
    ...(await compareWithOracle({
      dataDir: config.dataDir,
      checksum: testsKey(loadedOf(attempt).checksum, step.name),
      verifierDir: verifierFolder(run),
      sessionId: trial.change.sessionId,
      agent: scaffold.name,
      score:
        rewards && (step.name === null ? findScore(rewards) : Math.max(...Object.values(rewards))),
    })),
  );
}

/** Each step has tests of its own. */
const testsKey = (checksum: string, step: string | null) =>
  step === null ? checksum : createHash("sha256").update(`${checksum}\n${step}`).digest("hex");
