import { join, posix } from "node:path";
import type { ArtifactManifestRow } from "#harbor-files/trial-record.ts";
import { writeArtifactManifest } from "#harbor-files/write-trial-files.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { ArtifactConfig } from "#tasks/artifact-config.ts";
import type { CollectHook } from "#tasks/task-config.ts";

const OUTPUT_BYTES = 4 * 1024;

/** Runs the hooks, then carries artifacts out. One that fails is told in the manifest or in the answer, and stops nothing. */
export async function collectArtifacts(
  sandbox: Sandbox,
  wanted: {
    hooks: readonly CollectHook[];
    artifacts: readonly ArtifactConfig[];
    workdir: string | null;
  },
  /** Folder of the trial. */
  root: string,
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { command, user, timeout_sec: timeoutS } of wanted.hooks) {
    const { exitCode, output } = await sandbox.exec({
      argv: ["sh", "-c", command],
      user,
      timeoutMs: timeoutS * 1_000,
      maxOutputBytes: OUTPUT_BYTES,
      signal,
    });
    if (exitCode === 0) continue;
    const why = exitCode === null ? `was killed after ${timeoutS} s` : `exited with ${exitCode}`;
    problems.push(`The collect command ${JSON.stringify(command)} ${why}. ${output}`.trim());
  }
  const rows: ArtifactManifestRow[] = [];
  for (const artifact of wanted.artifacts)
    rows.push(await carryOut(sandbox, artifact, wanted.workdir, root));
  writeArtifactManifest(join(root, "artifacts"), rows);
  return problems;
}

async function carryOut(
  sandbox: Sandbox,
  { source, destination, exclude, service }: ArtifactConfig,
  workdir: string | null,
  root: string,
): Promise<ArtifactManifestRow> {
  const path = posix.resolve(workdir ?? "/", source);
  const place = posix.join("artifacts", destination ?? path);
  const row = { source, destination: place, service, exclude, type: "file" as const };
  const found = await sandbox.download(path, join(root, place));
  if (!found) return { ...row, status: "failed" };
  return { ...row, type: found.kind, status: found.leftOut.length > 0 ? "failed" : "ok" };
}
