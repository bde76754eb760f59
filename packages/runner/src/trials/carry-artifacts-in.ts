import { posix } from "node:path";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import type { CarriedArtifact } from "#trials/collect-artifacts.ts";
import { TrialError } from "#trials/trial-error.ts";

const COMMAND_MS = 60_000;
const OUTPUT_BYTES = 4 * 1024;
const EMPTY = `for folder do
  mkdir -p "$folder" && rm -rf "$folder"/* "$folder"/.[!.]* "$folder"/..?* || exit 1
done`;
const MAKE = 'mkdir -p "$@"';
/** The sticky bit of a folder like /tmp stays. */
const OPEN = 'chmod a+rwx "$@"';

/**
 * Puts artifacts into a sandbox that no agent had, each where it was in the agent's, with Harbor's rule: a folder holds
 * what was carried and nothing of the image, and everyone may write to it. Throws `ArtifactUploadError`.
 */
export async function carryArtifactsIn(
  sandbox: Sandbox,
  artifacts: readonly CarriedArtifact[],
  signal: AbortSignal,
): Promise<void> {
  const folders = artifacts.flatMap(({ source, kind }) => (kind === "directory" ? [source] : []));
  const above = artifacts
    .flatMap(({ source, kind }) => (kind === "file" ? [posix.dirname(source)] : []))
    .filter((folder) => folder !== "/");
  const run = (script: string, paths: readonly string[]) =>
    runAsRoot(sandbox, script, [...new Set(paths)], signal);
  await run(EMPTY, ["/logs/verifier"]);
  for (const { source, path, kind } of artifacts) {
    if (kind === "directory") await run(EMPTY, [source]);
    else await run(MAKE, [posix.dirname(source)]);
    await sandbox.upload(path, source);
  }
  await run(OPEN, ["/logs/verifier", ...folders, ...above]);
}

async function runAsRoot(
  sandbox: Sandbox,
  script: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, output } = await sandbox.exec({
    argv: ["sh", "-c", script, "sh", ...paths],
    user: 0,
    timeoutMs: COMMAND_MS,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  if (exitCode === 0) return;
  throw new TrialError(
    "ArtifactUploadError",
    `The verifier's sandbox has no place for artifacts at ${paths.join(", ")}. ${output}`.trim(),
  );
}
