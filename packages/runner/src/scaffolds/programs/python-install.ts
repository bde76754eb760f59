import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { demandPython } from "#scaffolds/programs/demand-python.ts";
import { runInstaller } from "#scaffolds/programs/run-installer.ts";
import { TrialError } from "#trials/trial-error.ts";

/** The runner's Python, and `dist/python`: how to make a folder that runs anywhere, and what to put there. */
export interface PythonPlace {
  python: string;
  folder: string;
}

const filesOf = ({ folder }: PythonPlace, name: string) => ({
  bake: join(folder, "bake.py"),
  requirements: join(folder, name, "requirements.txt"),
  main: join(folder, name, "main.py"),
});

/** What a folder made by {@link pythonInstall} depends on. Throws `AgentSetupError` where the Python can not be used. */
export async function pythonInputs(place: PythonPlace, name: string): Promise<string[]> {
  const which = await demandPython(place.python);
  const texts = Object.values(filesOf(place, name)).map((path) => readFile(path, "utf8"));
  return [which, ...(await Promise.all(texts))];
}

/** Packages of exact versions with a copy of the runner's Python, into a folder. Throws `AgentSetupError` with pip's last words. */
export async function pythonInstall(place: PythonPlace, name: string, to: string): Promise<void> {
  const { bake, requirements, main } = filesOf(place, name);
  await mkdir(to, { recursive: true });
  const why = await runInstaller(place.python, ["-I", bake, requirements, main, to], to);
  if (why === null) return;
  throw new TrialError(
    "AgentSetupError",
    `${place.python} can not install ${name}: ${why}\nCheck that pip of this Python, which LIVERL_PYTHON names, reaches its index.`,
  );
}
