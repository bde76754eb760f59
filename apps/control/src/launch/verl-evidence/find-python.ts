import { access, constants, readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";
import type { PythonEvidence } from "#launch/verl-evidence/verl-evidence.ts";

/** verl 0.9.1 takes these, the newest first. */
const VERSIONS = ["3.12", "3.11", "3.10"];

/** The named environment, or an interpreter to make one with. Files are looked at; nothing is run. */
export async function findPython(
  { venv, python }: { venv: string | null; python: string | null },
  path: string,
): Promise<PythonEvidence> {
  const isProgram = (file: string) =>
    access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
  if (venv !== null) {
    const folder = expandHome(venv);
    return {
      venv: {
        hasPython: await isProgram(join(folder, "bin/python")),
        verlVersion: await installedVerl(folder),
      },
      interpreter: null,
    };
  }
  const candidates =
    python === null
      ? VERSIONS.flatMap((version) =>
          path.split(delimiter).map((folder) => join(folder, `python${version}`)),
        )
      : python.includes("/")
        ? [expandHome(python)]
        : path.split(delimiter).map((folder) => join(folder, python));
  for (const candidate of candidates)
    if (await isProgram(candidate)) return { venv: null, interpreter: candidate };
  return { venv: null, interpreter: null };
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
