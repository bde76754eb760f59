import type { IntegrityFlag, IntegrityKind } from "@liverl/contract/rollout";
import { boundedEvidence } from "#integrity/bounded-evidence.ts";
import { packageOf } from "#integrity/package-of.ts";
import { isTestFile } from "#integrity/test-file.ts";

/** A path of the sandbox that is not as the image has it. */
export interface FileChange {
  path: string;
  change: "modified" | "added" | "deleted";
}

const SYSTEM = /^\/(bin|sbin|lib|lib32|lib64|libx32|usr|etc|opt|boot)\//;
/** Docker's own, where LiveRL mounts agents, and what programs write when they are used. */
const OF_USE =
  /^\/etc\/(hosts|hostname|resolv\.conf|mtab|ld\.so\.cache)$|^(\/usr)?\/sbin\/docker-init$|^\/opt\/liverl$|\/__pycache__(\/|$)|\.pyc$|^\/usr\/share\/(mime|man|doc)\//;
const START_UP =
  /^\/etc\/(ld\.so\.preload|environment|profile|profile\.d\/.*|bash\.bashrc|zsh\/.*|gitconfig|pip\.conf|npmrc)$|^\/(root|home\/[^/]+)\/\.(bashrc|bash_profile|bash_login|bash_aliases|bash_env|profile|zshrc|zshenv|pythonrc|npmrc|gitconfig|config\/(pip\/pip\.conf|uv\/uv\.toml|git\/config))$|\/(site|user)customize\.py$|\/(site|dist)-packages\/[^/]+\.pth$/;
/** Tests of others, and files of no task. */
const NO_TASK =
  /\/(site-packages|dist-packages|node_modules|\.git|\.cache)\/|^\/(tmp|var|proc|tests|logs|solution)\/|^\/(root|home\/[^/]+)\/\./;
/** What runs Python's tests, of another content than the image's. */
const TEST_RUNNER = /\/(site|dist)-packages\/(_pytest|pytest|pluggy)\//;
const TOOLS =
  /^\/(usr\/)?(local\/)?s?bin\/(ba|da|z|busybox)?sh$|^\/(usr\/)?(local\/)?s?bin\/(env|test|\[|busybox|cat|cp|mv|rm|mkdir|chmod|echo|printf|grep|sed|awk|diff|cmp|tee|timeout|git|make|gcc|cc|g\+\+|go|cargo|rustc|java|javac|node|npm|npx|pytest|tox|pip3?|uv|python[0-9.]*)$/;

/** What the changed files of a sandbox say of the agent that left them. Pure. */
export function judgeChanges(changes: readonly FileChange[]): IntegrityFlag[] {
  const byKind = new Map<IntegrityKind, Set<string>>();
  for (const { path, change } of leaves(changes)) {
    const kind = kindOf(path, change);
    if (!kind) continue;
    const found = byKind.get(kind) ?? new Set();
    byKind.set(kind, found.add(evidenceOf(kind, path, change)));
  }
  // Files that come with a package are told by the package.
  if (byKind.has("packages-installed")) byKind.delete("system-changed");
  return [...byKind].map(([kind, found]) => ({ kind, evidence: boundedEvidence([...found]) }));
}

/** A package by its name, once; where the files do not tell one, as all else by the file. */
function evidenceOf(kind: IntegrityKind, path: string, change: FileChange["change"]): string {
  const found = kind === "packages-installed" ? packageOf(path) : null;
  return found?.name ? `${change} ${found.manager} ${found.name}` : `${change} ${path}`;
}

function kindOf(path: string, change: FileChange["change"]): IntegrityKind | null {
  if (START_UP.test(path)) return "tools-changed";
  if (TOOLS.test(path))
    return change === "added" && !isBefore(path) ? "system-changed" : "tools-changed";
  if (TEST_RUNNER.test(path) && change !== "added" && !OF_USE.test(path)) return "tools-changed";
  if (packageOf(path)) return "packages-installed";
  if (isTestFile(path) && !SYSTEM.test(path) && !NO_TASK.test(path)) return "tests-edited";
  return SYSTEM.test(path) && !OF_USE.test(path) ? "system-changed" : null;
}

/** A new program in these goes before the image's own of that name. */
const isBefore = (path: string) => /^\/usr\/local\/s?bin\//.test(path);

/** A folder is told as changed when something in it is. */
function leaves(changes: readonly FileChange[]): FileChange[] {
  const folders = new Set(
    changes.flatMap(({ path }) => {
      const above: string[] = [];
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
        above.push(path.slice(0, at));
      return above;
    }),
  );
  return changes.filter(({ path, change }) => change !== "modified" || !folders.has(path));
}
