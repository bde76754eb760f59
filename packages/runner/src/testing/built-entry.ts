import { fileURLToPath } from "node:url";

/** A program's bundle; the test run builds them all before its first test. */
export function builtEntry(
  name:
    | "agent-worker"
    | "audit"
    | "audit-logprobs"
    | "code-worker"
    | "proxy"
    | "runner"
    | "sandbox-tunnel",
): string {
  return fileURLToPath(new URL(`../../../../dist/${name}.mjs`, import.meta.url));
}
