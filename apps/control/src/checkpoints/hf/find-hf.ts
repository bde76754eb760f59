import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkHfFolder } from "#checkpoints/hf/check-hf-folder.ts";

/** Where a merge puts the whole model; the folder has this name only once it is whole. */
export const hfFolder = (checkpoint: string) => join(checkpoint, "hf");

/** The checkpoint's whole model in Hugging Face form: merged, or saved so by verl (`save_contents` with `hf_model`). */
export async function findHf(
  checkpoint: string,
): Promise<{ path: string; sizeBytes: number } | null> {
  for (const path of [hfFolder(checkpoint), join(checkpoint, "actor/huggingface")]) {
    const names = await readdir(path).catch(() => []);
    if (!names.some((name) => name.endsWith(".safetensors"))) continue;
    if ((await checkHfFolder(path)) !== null) continue;
    const sizes = await Promise.all(
      names.map((name) => stat(join(path, name)).then(({ size }) => size)),
    );
    return { path, sizeBytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
  }
  return null;
}
