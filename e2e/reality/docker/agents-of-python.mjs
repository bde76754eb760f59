// Which claims need a Python that Harbor itself can be installed for, and whether there is one.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { say } from "../../../bench/liverl.mjs";

const NEEDS_PYTHON = /Terminus 2|mini-swe-agent|OpenHands|import path/;

/** Where the runner finds the agents of import paths. To be called before it starts. */
export function offerOwnAgents() {
  process.env.PYTHONPATH = fileURLToPath(new URL("harbor-agents", import.meta.url));
}

const hasPython = () =>
  spawnSync(process.env.LIVERL_PYTHON ?? "python3", [
    "-c",
    "import sys, pip; sys.exit(sys.version_info < (3, 12))",
  ]).status === 0;

/** The claims that can be shown here, as `[name, prove]`; says of each other why it can not. */
export function withoutMissingPython(claims) {
  if (hasPython()) return claims;
  return claims.filter(([name]) => {
    const isMissing = NEEDS_PYTHON.test(name);
    if (isMissing) say(`SKIPPED: ${name}. LIVERL_PYTHON names no Python 3.12 or newer with pip.`);
    return !isMissing;
  });
}
