import { z } from "zod";
import { HIDE_SCRIPT } from "#integrity/hide-script.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";

/** Large repositories are packed anew. */
const HIDE_MS = 300_000;
const OUTPUT_BYTES = 256 * 1024;

/** Of Harbor's layout: the verifier's files come to these later, and an oracle's solution. */
const ANSWERS = [
  "/tests",
  "/solution",
  "/logs/verifier/reward.txt",
  "/logs/verifier/reward.json",
] as const;

/** What an agent is not shown of its own image; nothing of it is brought back. */
export interface HiddenAnswers {
  /** Folders and files of the verifier and of the solution that the image had. */
  removed: string[];
  repositories: HiddenHistory[];
  /** Why not all of it could be looked for; null where it was. */
  fault: string | null;
}

/** What a repository had beside the history of its HEAD. */
export interface HiddenHistory {
  /** Its git folder. */
  path: string;
  /** Refs that lead elsewhere, by their names; the first ones of many. */
  refs: string[];
  remotes: string[];
  /** Commits, trees, blobs and tags that nothing leads to any more. */
  objects: number;
  /** Why it is as it was, or not wholly without them; null where all is hidden. */
  fault: string | null;
}

const Hidden = z.tuple([
  z.literal("repository"),
  z.string(),
  z.string(),
  z.string(),
  z.coerce.number().int(),
  z.string(),
]);
const Removed = z.tuple([z.literal("removed"), z.string()]);

/**
 * Takes away what would tell the agent the answer, before it starts: tests and solutions in the image, and all that
 * repositories of the working directory know beside the history of their HEAD. Runs as root, by the image's own programs.
 */
export async function hideAnswers(
  sandbox: Sandbox,
  { keepsHistory, signal }: { keepsHistory: boolean; signal: AbortSignal },
): Promise<HiddenAnswers> {
  const { exitCode, output } = await sandbox.exec({
    argv: ["sh", "-c", HIDE_SCRIPT, "sh", keepsHistory ? "keep" : "hide", ...ANSWERS],
    user: 0,
    timeoutMs: HIDE_MS,
    maxOutputBytes: OUTPUT_BYTES,
    signal,
  });
  const told = readHidden(output);
  if (exitCode === 0) return told;
  const why =
    exitCode === null ? `It took more than ${HIDE_MS / 1_000} s.` : output.slice(-300).trim();
  return { ...told, fault: `The image was not searched to its end for answers. ${why}` };
}

/** What the script says, a line for each thing. Pure. */
export function readHidden(output: string): HiddenAnswers {
  const answers: HiddenAnswers = { removed: [], repositories: [], fault: null };
  for (const line of output.split("\n")) {
    const fields = line.split("\t");
    const removed = Removed.safeParse(fields).data;
    if (removed) answers.removed.push(removed[1]);
    const hidden = Hidden.safeParse(fields).data;
    if (!hidden) continue;
    const [, path, refs, remotes, objects, fault] = hidden;
    const names = (text: string) => text.split(" ").filter((name) => name !== "");
    answers.repositories.push({
      path,
      refs: names(refs),
      remotes: names(remotes),
      objects,
      fault: fault === "" ? null : fault,
    });
  }
  return answers;
}

/** In words, for the trial's log. Pure. */
export function describeHidden({ removed, repositories, fault }: HiddenAnswers): string[] {
  return [
    ...removed.map((path) => `The image had ${path}: it was removed before the agent`),
    ...repositories.flatMap((one) => describeRepository(one)),
    ...(fault === null ? [] : [fault]),
  ];
}

function describeRepository({ path, refs, remotes, objects, fault }: HiddenHistory): string[] {
  if (fault !== null) return [`The history of ${path} is not hidden: ${fault}`];
  if (refs.length + remotes.length + objects === 0) return [];
  const parts = [
    `${objects} objects`,
    ...(refs.length > 0 ? [`the refs ${refs.join(", ")}`] : []),
    ...(remotes.length > 0 ? [`the remotes ${remotes.join(", ")}`] : []),
  ];
  return [
    `What the HEAD of ${path} does not lead to is hidden: ${parts.join("; ")}. A task that is about it sets keep_git_history = true in [metadata]`,
  ];
}
