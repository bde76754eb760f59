import { createHash } from "node:crypto";

/** What vLLM 0.32 takes as `cache_salt`: up to 128 characters without `@ / \ NUL`. */
const ALLOWED = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * Keeps runs apart in an engine's prefix cache, and weights of one version from keys and values of another: vLLM
 * does not clear its cache when weights are loaded.
 */
export function cacheSalt(run: string, version: number | null): string {
  const name = ALLOWED.test(run) ? run : createHash("sha256").update(run).digest("hex");
  return version === null ? name : `${name}.v${version}`;
}
