import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { childEnv } from "#env.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";

const run = promisify(execFile);
const ASK_MS = 10_000;
/** verl 0.9 takes Python from 3.10 on and below 3.13. Its own word, as what stands on PATH may only lead to another. */
const SAYS_PATH_IF_FITS =
  "import sys, venv, ensurepip; print(sys.executable); sys.exit(not (3, 10) <= sys.version_info < (3, 13))";

/** Path of the interpreter that was asked for, or of the first that fits on PATH and below pyenv's versions; null where none fits verl. */
export async function findInterpreter(asked: string | null): Promise<string | null> {
  const versions = join(homedir(), ".pyenv/versions");
  const own = (await readdir(versions).catch(() => [])).map((one) =>
    join(versions, one, "bin/python3"),
  );
  const candidates =
    asked === null
      ? ["python3.12", "python3.11", "python3.10", "python3", ...own]
      : [expandHome(asked)];
  for (const candidate of candidates) {
    const path = await run(candidate, ["-c", SAYS_PATH_IF_FITS], {
      // Next's types want a NODE_ENV in every environment.
      env: childEnv() as NodeJS.ProcessEnv,
      timeout: ASK_MS,
    }).then(
      ({ stdout }) => stdout.trim(),
      () => null,
    );
    if (path !== null) return path;
  }
  return null;
}
