import { createHash } from "node:crypto";
import type { Context } from "#context.ts";
import { readPatch } from "#trajectories/read-patch.ts";
import { TrialFolder } from "#trajectories/trial-folder.ts";

/** Digests that are kept: a patch does not change once its attempt has ended. */
const KEPT = 20_000;
const known = new Map<string, string | null>();

/**
 * Digest of what an attempt that has ended left: two of one task that are equal are the same answer, word for word. Null where
 * it left no patch or an empty one: then what it did is not seen.
 */
export async function answerOf(
  { config }: Pick<Context, "config">,
  directory: string,
): Promise<string | null> {
  const path = `${config.dataDir}\0${directory}`;
  const digest = known.get(path);
  if (digest !== undefined) return digest;
  const patch = await readPatch(await TrialFolder.open(config.dataDir, directory));
  const answer = patch ? createHash("sha256").update(patch).digest("base64url") : null;
  if (known.size >= KEPT) known.delete(known.keys().next().value ?? "");
  known.set(path, answer);
  return answer;
}
