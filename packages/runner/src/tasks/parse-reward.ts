import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { readNumber } from "@liverl/durable/tasks/lax-values";
import { TrialError } from "#trials/trial-error.ts";

const REWARD_JSON = "reward.json";
const REWARD_TEXT = "reward.txt";

/** By name; a task with one reward calls it `reward`. */
export type Rewards = Record<string, number>;

export interface ParsedReward {
  rewards: Rewards;
  /** The file that they are from: `reward.json` wins where both are there. */
  file: typeof REWARD_JSON | typeof REWARD_TEXT;
  /** Set where both files are there and say different things: one of them is not the verifier's last word. */
  conflict: string | null;
}

/** Larger ones are no reward, and reading them would cost memory. */
const MAX_BYTES = 1024 * 1024;

/**
 * What the verifier left, as Harbor 0.24 reads it; the test script's exit code says nothing. Throws {@link TrialError}
 * `RewardFileNotFoundError`, `RewardFileEmptyError` or `VerifierOutputParseError`. Links are not followed.
 */
export async function parseReward(verifierDir: string): Promise<ParsedReward> {
  const jsonPath = join(verifierDir, REWARD_JSON);
  const textPath = join(verifierDir, REWARD_TEXT);
  const json = await readSmall(jsonPath);
  if (json !== null) {
    const rewards = parseJson(decode(json, jsonPath), jsonPath);
    return { rewards, file: REWARD_JSON, conflict: await findConflict(rewards, textPath) };
  }
  const text = await readSmall(textPath);
  if (text !== null) {
    const reward = parseText(decode(text, textPath), textPath);
    return { rewards: { reward }, file: REWARD_TEXT, conflict: null };
  }
  throw new TrialError(
    "RewardFileNotFoundError",
    `No reward file found at ${textPath} or ${jsonPath}`,
  );
}

/** The one number that trains: `reward`, else the only one there is; null where that leaves a choice. */
export function findScore(rewards: Rewards): number | null {
  if (Object.hasOwn(rewards, "reward")) return rewards.reward ?? null;
  const [only, ...others] = Object.values(rewards);
  return only !== undefined && others.length === 0 ? only : null;
}

/** {@link findScore}, or throws {@link TrialError} `VerifierOutputParseError`. */
export function scoreOf(rewards: Rewards): number {
  const score = findScore(rewards);
  if (score !== null) return score;
  const names = Object.keys(rewards).join(", ");
  throw unreadable(
    `The rewards (${names || "none"}) have no key "reward", so it is open which of them trains. Let the verifier write one.`,
  );
}

const unreadable = (message: string) => new TrialError("VerifierOutputParseError", message);

function parseText(text: string, path: string): number {
  const value = readNumber(text);
  if (value === undefined) throw unreadable(`Failed to parse rewards from text file ${path}`);
  if (!Number.isFinite(value)) throw unreadable(`Non-finite reward ${value} in text file ${path}`);
  return value;
}

function parseJson(text: string, path: string): Rewards {
  const found = readJson(text, path);
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw unreadable(
      `The rewards in ${path} are no JSON object of numbers, such as {"reward": 1.0}`,
    );
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => {
      // A boolean is a number in Python.
      const reward = typeof value === "boolean" ? Number(value) : value;
      if (typeof reward !== "number")
        throw unreadable(`Non-numeric reward ${JSON.stringify(value)} in JSON file ${path}`);
      if (!Number.isFinite(reward))
        throw unreadable(`Non-finite reward ${name} in JSON file ${path}`);
      return [name, reward];
    }),
  );
}

function readJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (/(?<!["\w])-?(?:NaN|Infinity)(?!["\w])/.test(text))
      throw unreadable(`Non-finite reward in JSON file ${path}`);
    throw new TrialError(
      "VerifierOutputParseError",
      `Failed to parse rewards from JSON file ${path}`,
      cause,
    );
  }
}

async function findConflict(rewards: Rewards, textPath: string): Promise<string | null> {
  const bytes = await readSmall(textPath).catch(() => Buffer.from("?"));
  if (bytes === null) return null;
  const said = bytes.toString("utf8").trim();
  if (readNumber(said) === rewards.reward && rewards.reward !== undefined) return null;
  return `${REWARD_JSON} has ${JSON.stringify(rewards)} and counts; ${REWARD_TEXT} says ${JSON.stringify(said.slice(0, 100))}.`;
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable(`Failed to parse rewards from file ${path}: it is not UTF-8`);
  }
}

/** Null where there is no file. Throws what Harbor throws for an empty one. */
async function readSmall(path: string): Promise<Buffer | null> {
  // Non-blocking: the agent may have left a pipe there.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ELOOP" || error.code === "ENXIO")
      throw unreadable(`${path} is no file of its own, so it is no reward.`);
    throw new TrialError(
      "DownloadVerifierDirError",
      `${path} can not be read: ${error.message}`,
      error,
    );
  });
  if (!handle) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw unreadable(`${path} is no file of its own, so it is no reward.`);
    if (found.size === 0)
      throw new TrialError("RewardFileEmptyError", `Reward file is empty at ${path}`);
    if (found.size > MAX_BYTES) throw unreadable(`${path} is larger than ${MAX_BYTES} bytes.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
