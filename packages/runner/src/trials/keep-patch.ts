import { join } from "node:path";
import { scrubSecrets } from "#harbor-files/scrub-secrets.ts";
import { writeFresh } from "#harbor-files/write-fresh.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";

const PATCH_FILE = "patch.diff";
const LOOK_MS = 10_000;
const PATCH_MS = 60_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Git without what a repository's own configuration may run, on an index and objects apart, so that looking changes nothing.
 * The sandbox is the agent's, so what it says is evidence and no proof.
 */
const GIT =
  "git -c safe.directory='*' -c core.fsmonitor= -c core.hooksPath=/dev/null -c core.pager=cat -c core.quotePath=false";
const HEAD = `${GIT} rev-parse --verify --quiet HEAD^{commit}`;
/** Objects go to the repository's own: they have to be there when the agent has ended. */
const TREE = `kept=$(mktemp -d) || exit 1
trap 'rm -rf "$kept"' EXIT
cd "$(${GIT} rev-parse --show-toplevel)" || exit 1
export GIT_INDEX_FILE="$kept/index"
${GIT} read-tree HEAD && ${GIT} add -A . && ${GIT} write-tree
`;
const PATCH = `kept=$(mktemp -d) || exit 1
trap 'rm -rf "$kept"' EXIT
look() {
  top=$(${GIT} rev-parse --show-toplevel) && objects=$(${GIT} rev-parse --git-path objects) || return 1
  case $objects in /*) ;; *) objects=$PWD/$objects ;; esac
  cd "$top" || return 1
  export GIT_INDEX_FILE="$kept/index" GIT_OBJECT_DIRECTORY="$kept" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
  ${GIT} read-tree "$1" && ${GIT} add -A . &&
    ${GIT} diff --cached --no-color --no-ext-diff --no-textconv --no-renames "$1"
}
look "$1" 2> "$kept/faults" || { cat "$kept/faults"; exit 1; }
`;

export interface Looking {
  sandbox: Sandbox;
  user: string | number | null;
  signal: AbortSignal;
}

export interface PatchFault {
  fault: string;
  /** Git itself failed on what the agent left, and was not too slow. */
  isAgents: boolean;
}

/** The commit that the agent starts from; null where its folder is no repository, or the image has no git. */
export const findBase = (looking: Looking) => nameOfObject(looking, HEAD, LOOK_MS);

/** The folder as it is, commits or none, to tell what comes after from what was before; null as for {@link findBase}. */
export const findTree = (looking: Looking) => nameOfObject(looking, TREE, PATCH_MS);

async function nameOfObject(
  { sandbox, user, signal }: Looking,
  script: string,
  timeoutMs: number,
): Promise<string | null> {
  const { exitCode, output } = await sandbox.exec({
    argv: ["sh", "-c", script],
    ...{ user, signal, timeoutMs, maxOutputBytes: 64 * 1024 },
  });
  // Warnings about line ends may stand before it.
  const [name] = /^[0-9a-f]{40,64}$/.exec(output.trim().split("\n").at(-1) ?? "") ?? [];
  return exitCode === 0 ? (name ?? null) : null;
}

/** Writes what the folder has become since `base`, a commit or a tree, commits or none, as `patch.diff` in `root`. */
export async function keepPatch(
  { sandbox, user, signal }: Looking,
  base: string,
  { root, secrets }: { root: string; secrets: readonly string[] },
): Promise<{ patch: string } | PatchFault> {
  const { exitCode, output } = await sandbox.exec({
    argv: ["sh", "-c", PATCH, "sh", base],
    ...{ user, signal, timeoutMs: PATCH_MS, maxOutputBytes: MAX_BYTES },
  });
  if (exitCode !== 0)
    return {
      fault: `git did not tell the patch: ${output.slice(-300).trim()}`,
      isAgents: exitCode !== null,
    };
  const patch = scrubSecrets(output, secrets);
  writeFresh(join(root, PATCH_FILE), patch);
  return { patch };
}
