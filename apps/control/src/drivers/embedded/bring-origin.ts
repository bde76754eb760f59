import { access, cp, mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { EmbeddedSpec } from "@liverl/contract/launch";
import { isMissing, syncDirectory } from "@liverl/durable/atomic-file";
import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { RunFiles } from "#drivers/embedded/run-files.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";

/**
 * Copies the checkpoint that a fork begins from, and the reference policy of its parent, into the fork's own folder: it
 * goes on from there whatever becomes of the parent. Does nothing once the run has a checkpoint.
 */
export async function bringOrigin(
  dataDir: string,
  runId: string,
  spec: EmbeddedSpec,
  files: RunFiles,
): Promise<void> {
  const { resume_from_path } = spec.trainer;
  if (resume_from_path === null) return;
  const origin = expandHome(resume_from_path);
  if ((await findCheckpoints(dataDir, runId)).some(({ complete }) => complete)) return;
  await access(join(origin, "COMPLETE")).catch((cause: unknown) => {
    throw new AppError("CONFLICT", {
      userMessage: `The checkpoint to start from is gone: ${origin}. Launch again from another one.`,
      cause,
    });
  });
  await mkdir(files.checkpoints, { recursive: true });
  await mkdir(files.weights, { recursive: true });
  await cp(
    join(origin, "../../weights/v0.safetensors"),
    join(files.weights, "v0.safetensors"),
  ).catch((error: unknown) => {
    // Only a KL loss needs it, and preflight has asked for it then.
    if (!isMissing(error)) throw error;
  });
  const draft = join(files.checkpoints, ".origin.tmp");
  await rm(draft, { recursive: true, force: true });
  await cp(origin, draft, { recursive: true });
  await rename(draft, join(files.checkpoints, basename(origin)));
  await syncDirectory(files.checkpoints);
}
