import { mkdirSync, renameSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { IntegrityFlag } from "@liverl/contract/rollout";
import { z } from "zod";
import { writeFresh } from "#harbor-files/write-fresh.ts";
import { judgeReport, testsThatRan } from "#integrity/judge-report.ts";

const FOLDER = "oracle-tests";
const MAX_BYTES = 16 * 1024 * 1024;

/** A verified trial of a task in Harbor's format. */
export interface ReportedTrial {
  dataDir: string;
  /** Of the task's folder: another content is another task. */
  checksum: string;
  /** Folder with what the verifier left. */
  verifierDir: string;
  /** Tells this trial from any other that writes at once. */
  sessionId: string;
  agent: string;
  score: number | null;
}

/**
 * Keeps which tests ran when the oracle solved a task, in `D/oracle-tests`, and compares every other trial with them. A task
 * that the oracle has not solved yet, or without `ctrf.json`, tells nothing.
 */
export async function compareWithOracle(trial: ReportedTrial): Promise<IntegrityFlag[]> {
  const ran = testsThatRan(await readJson(join(trial.verifierDir, "ctrf.json")));
  const path = join(trial.dataDir, FOLDER, `${trial.checksum}.json`);
  if (trial.agent === "oracle") {
    if (ran !== null && ran.length > 0 && (trial.score ?? 0) > 0) keep(path, ran, trial.sessionId);
    return [];
  }
  const oracleRan = z.array(z.string()).safeParse(await readJson(path)).data;
  return oracleRan ? judgeReport({ score: trial.score, ran, oracleRan }) : [];
}

/** Whole at any time: trials of the oracle may end at once. */
function keep(path: string, ran: readonly string[], sessionId: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  const part = `${path}.${encodeURIComponent(sessionId)}`;
  writeFresh(part, JSON.stringify(ran));
  renameSync(part, path);
}

/** Null where there is no file of JSON. What is carried out of a sandbox has no links. */
async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null || text.length > MAX_BYTES) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
