import { mkdir } from "node:fs/promises";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { findScore, type ParsedReward, parseReward } from "#tasks/parse-reward.ts";
import type { PlannedStep } from "#tasks/plan-task.ts";
import { TrialError } from "#trials/trial-error.ts";

export interface HarborVerifierJob {
  sandbox: Sandbox;
  step: PlannedStep;
  /** With its templates filled in. */
  env: Readonly<Record<string, string>>;
  /** Folder of this host that gets the content of `/logs/verifier`. */
  to: string;
  signal: AbortSignal;
  /** Told of tests and rewards that were there before, when they are removed. */
  onPlanted: (paths: readonly string[]) => void;
  /** A line of the trial's log. */
  say: (text: string) => void;
}

/** What the tests say. */
const LOGS = "/logs/verifier";
/** Placed by the agent, they would be taken for the verifier's. */
const REWARDS = [`${LOGS}/reward.json`, `${LOGS}/reward.txt`];
/** Names some of what is there, or the link that is there instead, and removes it with `"$@"`. */
const CLEAN = `[ -L ${LOGS} ] && echo ${LOGS}
for file in ${LOGS}/* ${LOGS}/.[!.]*; do
  [ -e "$file" ] || [ -L "$file" ] || continue
  n=$((n + 1)); [ $n -gt 20 ] && break
  printf '%s\\n' "$file"
done
rm -rf ${LOGS} "$@"`;
/** What tests give that found no fault. */
const SOLVED = 1;
/** SIGKILL's, as a shell tells it. */
const KILLED = 137;
const CLEAN_MS = 60_000;
const OUTPUT_BYTES = 8 * 1024;

/**
 * Runs the task's tests in the agent's sandbox, in which no process may be left of it, or in one of their own that has
 * the artifacts. Harbor's order and paths, and a clean start that Harbor does not have. Throws {@link TrialError}: no reward is not a reward of 0.
 */
export async function verifyHarbor(job: HarborVerifierJob): Promise<ParsedReward> {
  const { sandbox, step, to } = job;
  await removePlanted(job);
  for (const folder of step.testFolders) await uploadTests(sandbox, folder);
  if (step.verifierEnvironment?.hasOwnTests) await openScript(job);
  const fault = await runTests(job);
  await mkdir(to, { recursive: true });
  // Kept for people, whatever it is worth.
  const downloaded = await sandbox.download(LOGS, to);
  if (fault?.exceptionType === "VerifierTimeoutError") throw fault;
  job.say("The tests have ended");
  const parsed = downloaded && !fault ? await readReward(to) : null;
  // All that a fault can do to tests is to let them fail.
  if (parsed !== null && "rewards" in parsed && findScore(parsed.rewards) === SOLVED) return parsed;
  await sandbox.checkSound();
  if (fault) throw fault;
  if (parsed === null)
    throw new TrialError("DownloadVerifierDirError", "The sandbox has no /logs/verifier any more.");
  if ("rewards" in parsed) return parsed;
  throw parsed;
}

/** One that can not be read is a value here: why there is none may be a fault that counts more. */
async function readReward(folder: string): Promise<ParsedReward | TrialError> {
  try {
    return await parseReward(folder);
  } catch (error) {
    if (error instanceof TrialError) return error;
    throw error;
  }
}

async function uploadTests(sandbox: Sandbox, folder: string): Promise<void> {
  try {
    await sandbox.upload(folder, "/tests");
  } catch (error) {
    // What is wrong with the sandbox itself has a name of its own.
    if (error instanceof TrialError && error.exceptionType !== "SandboxError") throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TrialError(
      "AddTestsDirError",
      `${folder} could not be copied to /tests. ${why}`,
      error,
    );
  }
}

/** An image may have lost the mode of its script. One without a script is told by the reward that is missing. */
async function openScript({ sandbox, signal }: HarborVerifierJob): Promise<void> {
  await sandbox.exec({
    argv: ["/bin/chmod", "+x", "/tests/test.sh"],
    user: 0,
    timeoutMs: CLEAN_MS,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
}

async function runTests({
  sandbox,
  step,
  env,
  signal,
}: HarborVerifierJob): Promise<TrialError | null> {
  const { user, timeoutS } = step.verifier;
  // What it exits with says nothing: the reward file does. One that was killed had no last word: many write 0 first.
  const { exitCode } = await sandbox.exec({
    argv: ["/bin/sh", "-c", "/tests/test.sh > /logs/verifier/test-stdout.txt 2>&1"],
    user,
    env,
    timeoutMs: timeoutS === null ? null : timeoutS * 1_000,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  if (exitCode === KILLED)
    return new TrialError(
      "VerifierKilledError",
      "Something killed test.sh (exit code 137), so what it left is no reward: somebody on the sandbox's host, the kernel for memory, or what is tested.",
    );
  if (exitCode !== null) return null;
  return new TrialError(
    "VerifierTimeoutError",
    `Verifier execution timed out after ${timeoutS} seconds`,
  );
}

/** All that the agent left where the tests and what they say belong. */
async function removePlanted({
  sandbox,
  step,
  signal,
  onPlanted,
}: HarborVerifierJob): Promise<void> {
  // Where no agent was, the tests that are there are the image's.
  const suspects = step.verifierEnvironment ? REWARDS : ["/tests", ...REWARDS];
  const planted = await findThere(sandbox, suspects);
  const { output } = await sandbox.exec({
    argv: ["/bin/sh", "-c", CLEAN, "sh", ...suspects],
    user: 0,
    timeoutMs: CLEAN_MS,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  // Takes the place of whatever is no folder there.
  await sandbox.makeFolders([LOGS]);
  const others = output
    .split("\n")
    .filter((name) => name.startsWith(LOGS) && !planted.includes(name));
  if (planted.length + others.length > 0) onPlanted([...planted, ...others]);
  // Asked of Docker: the agent may have put another rm there.
  const [left] = planted.length === 0 ? [] : await findThere(sandbox, suspects);
  if (left === undefined) return;
  throw new TrialError(
    "VerifierTamperedError",
    `${left} was there before the tests and could not be removed: the agent has changed the sandbox's own programs.`,
  );
}

async function findThere(sandbox: Sandbox, paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => sandbox.has(path)));
  return paths.filter((_, i) => found[i]);
}
