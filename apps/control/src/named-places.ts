import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import type { Env } from "#env.ts";
import { expandHome } from "#launch/verl-evidence/expand-home.ts";

/** Places on this machine from which a launch may take a token, a kubeconfig or a Python: those that an operator named. */
export interface NamedPlaces {
  /** Never from here: trials and uploads write below it, and LiveRL's own tokens lie in it. */
  dataDir: string;
  /** Files, or folders with them. */
  tokens: string[];
  /** Kubeconfigs of the environment that LiveRL was started in. */
  ownKubeconfigs: string[];
  /** Further kubeconfigs, or folders with them. */
  kubeconfigs: string[];
  /** Folders with interpreters or virtual environments. */
  pythons: string[];
}

type NamingEnv = Pick<
  Env,
  | "LIVERL_TOKEN_DIRS"
  | "LIVERL_KUBECONFIGS"
  | "LIVERL_PYTHON_DIRS"
  | "KUBECONFIG"
  | "RAY_AUTH_TOKEN_PATH"
  | "PATH"
>;

export function namePlaces(dataDir: string, env: NamingEnv): NamedPlaces {
  const home = homedir();
  return {
    dataDir,
    tokens: [...env.LIVERL_TOKEN_DIRS, ...env.RAY_AUTH_TOKEN_PATH, join(home, ".ray")],
    ownKubeconfigs: [...env.KUBECONFIG, join(home, ".kube/config")],
    kubeconfigs: env.LIVERL_KUBECONFIGS,
    pythons: [...env.LIVERL_PYTHON_DIRS, ...env.PATH, join(home, ".pyenv/versions")],
  };
}

/** Throws FORBIDDEN unless the file lies in a place for tokens. */
export function checkTokenFile(places: NamedPlaces, path: string): void {
  check(places, path, places.tokens, {
    what: "token file",
    setting: "LIVERL_TOKEN_DIRS",
    usual: "~/.ray and RAY_AUTH_TOKEN_PATH",
  });
}

/** Whether it is one of the environment that LiveRL was started in. Throws FORBIDDEN where nobody named it. */
export function checkKubeconfig(places: NamedPlaces, path: string): { isOwn: boolean } {
  check(places, path, [...places.ownKubeconfigs, ...places.kubeconfigs], {
    what: "kubeconfig",
    setting: "LIVERL_KUBECONFIGS",
    usual: "KUBECONFIG and ~/.kube/config",
  });
  const file = realOf(expandHome(path));
  return { isOwn: places.ownKubeconfigs.some((own) => realOf(own) === file) };
}

/** An interpreter's own name, also of a link's target. */
const PYTHON = /^python(\d+(\.\d+)?)?$/;

/** Throws FORBIDDEN unless it is an interpreter by its name, in a place for Pythons. A bare name is looked up on PATH. */
export function checkPython(places: NamedPlaces, path: string): void {
  if (!path.includes("/") && PYTHON.test(path)) return;
  const file = resolve(expandHome(path));
  // The link in an environment's `bin` leads to the system's interpreter, so its folder is what must be named.
  check(places, dirname(file), places.pythons, {
    what: "Python",
    setting: "LIVERL_PYTHON_DIRS",
    usual: "PATH and ~/.pyenv/versions",
    shown: path,
  });
  const target = realOf(file);
  if (!PYTHON.test(basename(file)) || !PYTHON.test(basename(target)))
    throw refusal(`${path} is no Python interpreter by its name: give one as bin/python3.12.`);
  refuseOwn(places, target, path);
}

export function checkVenv(places: NamedPlaces, folder: string): void {
  checkPython(places, join(expandHome(folder), "bin/python"));
}

interface Kind {
  what: string;
  setting: string;
  usual: string;
  /** The path as the spec has it, where it is another. */
  shown?: string;
}

function check(
  places: NamedPlaces,
  path: string,
  named: readonly string[],
  { what, setting, usual, shown = path }: Kind,
): void {
  const file = realOf(resolve(expandHome(path)));
  refuseOwn(places, file, shown);
  if (named.some((place) => isWithin(realOf(resolve(expandHome(place))), file))) return;
  throw refusal(
    `${shown} is not a place that launches may take a ${what} from. Those are ${usual}; name another when LiveRL starts: ${setting}=${dirname(resolve(expandHome(shown)))}.`,
  );
}

function refuseOwn({ dataDir }: NamedPlaces, file: string, shown: string): void {
  if (isWithin(realOf(dataDir), file))
    throw refusal(`${shown} lies in LiveRL's data directory, which launches take nothing from.`);
}

const refusal = (userMessage: string) => new AppError("FORBIDDEN", { userMessage });

const isWithin = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** With links followed as far as the path is there; what is missing can lead nowhere. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}
