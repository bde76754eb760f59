import { join, posix } from "node:path";
import type { ArtifactConfig } from "@liverl/durable/tasks/artifact-config";
import type { CollectHook } from "@liverl/durable/tasks/task-config";
import type { ArtifactManifestRow } from "#harbor-files/trial-record.ts";
import { writeArtifactManifest } from "#harbor-files/write-trial-files.ts";
import { excludePaths } from "#sandboxes/exclude-paths.ts";
import type { Downloaded, Sandbox } from "#sandboxes/sandbox.ts";

const OUTPUT_BYTES = 4 * 1024;

/** What was carried out, and lies on this host. */
export interface CarriedArtifact {
  /** Where it was in the sandbox. */
  source: string;
  /** Absolute. */
  path: string;
  kind: Downloaded["kind"];
}

export interface Collected {
  artifacts: readonly CarriedArtifact[];
  /** For people. */
  problems: readonly string[];
}

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
): Promise<Collected> {
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
  const artifacts: CarriedArtifact[] = [];
  const taken = new Set<string>();
  for (const artifact of wanted.artifacts) {
    const place = placeOf(artifact, wanted.workdir);
    const { row, leftOut } = taken.has(place.destination)
      ? { row: rowOf(artifact, place, "skipped"), leftOut: [] }
      : await carryOut(sandbox, artifact, place, root);
    taken.add(place.destination);
    rows.push(row);
    const { source, destination } = place;
    if (row.status === "ok")
      artifacts.push({ source, path: join(root, destination), kind: row.type });
    if (leftOut.length > 0)
      problems.push(
        `Left out of ${artifact.source} (no plain files, or too much): ${leftOut.map((name) => JSON.stringify(name)).join(", ")}`,
      );
  }
  writeArtifactManifest(join(root, "artifacts"), rows);
  return { artifacts, problems };
}

interface Place {
  /** In the sandbox. */
  source: string;
  /** Below the trial's folder. */
  destination: string;
}

function placeOf({ source, destination }: ArtifactConfig, workdir: string | null): Place {
  const path = posix.resolve(workdir ?? "/", source);
  return { source: path, destination: posix.join("artifacts", destination ?? path) };
}

const rowOf = (
  { source, exclude, service }: ArtifactConfig,
  { destination }: Place,
  status: ArtifactManifestRow["status"],
): ArtifactManifestRow => ({ source, destination, type: "file", status, service, exclude });

async function carryOut(
  sandbox: Sandbox,
  artifact: ArtifactConfig,
  place: Place,
  root: string,
): Promise<{ row: ArtifactManifestRow; leftOut: readonly string[] }> {
  const { exclude } = artifact;
  const to = join(root, place.destination);
  const found = await sandbox.download(place.source, to, excludePaths(exclude));
  if (!found) return { row: rowOf(artifact, place, "failed"), leftOut: [] };
  const { kind, leftOut } = found;
  const row = { ...rowOf(artifact, place, "ok"), type: kind };
  // A file is carried whatever is left out of folders.
  return { row: kind === "file" ? { ...row, exclude: [] } : row, leftOut };
}
