import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "@liverl/contract/app-error";
import type { VerlSpec } from "@liverl/contract/verl-launch";
import { childEnv } from "#env.ts";

const run = promisify(execFile);
const SCAN_MS = 600_000;

/** The data files of a spec; a folder of Harbor tasks goes before files and is scanned into a parquet that is kept in `out`. */
export async function scanHarbor(
  { data }: Pick<VerlSpec, "data">,
  { python, adapter, out }: { python: string; adapter: string; out: string },
): Promise<{ trainFiles: readonly string[]; valFiles: readonly string[] }> {
  const scan = async (split: "train" | "test", folder: string) => {
    const argv = ["-m", "liverl_verl.harbor_dataset", "--split", split, "--out", out, folder];
    try {
      const { stdout } = await run(python, argv, {
        env: { ...childEnv(), PYTHONPATH: adapter },
        timeout: SCAN_MS,
      });
      return [stdout.trim()];
    } catch (cause) {
      const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
      throw new AppError("BAD_REQUEST", {
        userMessage: `${folder} can not be used as a dataset: ${said.split("\n").at(-1) || "its scan failed"}`,
        cause,
      });
    }
  };
  return {
    trainFiles: data.train_harbor_dir
      ? await scan("train", data.train_harbor_dir)
      : data.train_files,
    valFiles: data.val_harbor_dir ? await scan("test", data.val_harbor_dir) : data.val_files,
  };
}
