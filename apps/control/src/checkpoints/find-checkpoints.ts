import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runFiles } from "#drivers/embedded/run-files.ts";

export interface FoundCheckpoint {
  step: number;
  path: string;
  /** Written last by the trainer: its presence says that all else is there. */
  complete: boolean;
  contents: string[];
  sizeBytes: number;
  writtenAt: Date;
}

/** The `global_step_N` folders of a run, by step. */
export async function findCheckpoints(dataDir: string, runId: string): Promise<FoundCheckpoint[]> {
  const { checkpoints } = runFiles(dataDir, runId);
  const names = await readdir(checkpoints).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const step = /^global_step_(\d+)$/.exec(name)?.[1];
      return step === undefined ? null : inspect(Number(step), join(checkpoints, name));
    }),
  );
  return found.filter((checkpoint) => checkpoint !== null).sort((a, b) => a.step - b.step);
}

async function inspect(step: number, path: string): Promise<FoundCheckpoint | null> {
  try {
    const contents = (await readdir(path)).sort();
    const sizes = await Promise.all(
      contents.map(async (name) => (await stat(join(path, name))).size),
    );
    const complete = await access(join(path, "COMPLETE")).then(
      () => true,
      () => false,
    );
    return {
      step,
      path,
      complete,
      contents,
      sizeBytes: sizes.reduce((a, b) => a + b, 0),
      writtenAt: (await stat(path)).mtime,
    };
  } catch {
    // Removed while we looked.
    return null;
  }
}
