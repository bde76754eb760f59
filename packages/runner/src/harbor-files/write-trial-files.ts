import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";
import type { ArtifactManifestRow, TrialRecord } from "#harbor-files/trial-record.ts";
import {
  buildTrialConfig,
  buildTrialResult,
  type TrialResult,
} from "#harbor-files/trial-result.ts";
import { writeFresh } from "#harbor-files/write-fresh.ts";

export const TRIAL_LOG = "trial.log";

/**
 * Writes the trial's own files as Harbor 0.24 lays them out: config.json, result.json, trial.log, exception.txt.
 * `verifier/`, `agent/` and `artifacts/` are of those who filled them. The journal has the truth of status and reward, so
 * these are written plainly, without a sync each: files of a few hundred bytes are in the page cache in less time than a
 * thread of the pool takes to wake for one of them.
 */
export function writeTrialFiles(record: TrialRecord): TrialResult {
  const { root, exception, log, secrets = [] } = record;
  const write = (name: string, text: string) =>
    writeFileSync(join(root, name), scrubSecrets(text, secrets));
  const result = buildTrialResult(record);
  write("config.json", JSON.stringify(buildTrialConfig(record)));
  write(TRIAL_LOG, log.map((line) => `${line}\n`).join(""));
  if (exception) {
    const { exception_type, exception_message, exception_traceback } = exception;
    write("exception.txt", `${exception_traceback || `${exception_type}: ${exception_message}`}\n`);
  }
  write("result.json", JSON.stringify(result));
  return result;
}

/** `manifest.json` of a folder with artifacts: what was carried out of the sandbox. */
export function writeArtifactManifest(
  artifactsFolder: string,
  rows: readonly ArtifactManifestRow[],
): void {
  mkdirSync(artifactsFolder, { recursive: true });
  writeFresh(join(artifactsFolder, "manifest.json"), JSON.stringify(rows, null, 2));
}
