import { access, constants, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findInterpreter } from "#drivers/verl/find-interpreter.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { PythonEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** The named environment, or the interpreter that one will be made with. */
export async function findPython({
  venv,
  python,
}: {
  venv: string | null;
  python: string | null;
}): Promise<PythonEvidence> {
  if (venv === null) return { venv: null, interpreter: await findInterpreter(python) };
  const folder = expandHome(venv);
  const hasPython = await access(join(folder, "bin/python"), constants.X_OK).then(
    () => true,
    () => false,
  );
  return { venv: { hasPython, verlVersion: await installedVerl(folder) }, interpreter: null };
}

/** Version in `lib/python3.X/site-packages/verl-<version>.dist-info`; null where there is none. */
async function installedVerl(folder: string): Promise<string | null> {
  const versions = await readdir(join(folder, "lib")).catch(() => []);
  for (const version of versions) {
    const names = await readdir(join(folder, "lib", version, "site-packages")).catch(() => []);
    for (const name of names) {
      const found = /^verl-(.+)\.(dist|egg)-info$/.exec(name);
      if (found?.[1]) return found[1];
    }
  }
  return null;
}
