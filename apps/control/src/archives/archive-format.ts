import { join } from "node:path";
import { AppError } from "@liverl/contract/app-error";
import { ProjectName, RunName } from "@liverl/contract/run";
import { z } from "zod";
import { runFiles, TRAINED_TOKENS } from "#drivers/embedded/run-files.ts";

/**
 * A run as a tar.gz: `archive.json` first, then `rows/<table>/<n>.jsonl`, `run/…` of the run's folder, `trials/…` of its
 * trials', and `end.json` last, so that one that was cut off is told from a whole one.
 */
export const FORMAT = "liverl-archive/1";
export const HEAD = "archive.json";
export const END = "end.json";
export const ArchiveHead = z.object({
  format: z.literal(FORMAT),
  runId: RunName,
  project: ProjectName,
  /** Of the LiveRL that wrote it. */
  version: z.string(),
});
export type ArchiveHead = z.infer<typeof ArchiveHead>;
export const ArchiveEnd = z.object({ entries: z.number().int() });

/** Folders of an archive, and where they belong. Pure. */
export function placesOf(
  dataDir: string,
  { project, runId }: Pick<ArchiveHead, "project" | "runId">,
) {
  return [
    { room: "run", to: runFiles(dataDir, runId).directory },
    { room: "trials", to: join(dataDir, "harbor_trials", project, runId) },
  ];
}

/**
 * In the order in which rows may be put in; an older archive has fewer. What trainers' clients, launches and merges hold stays
 * behind, and of alerts their rules and who was told.
 */
export const TABLES = [
  ...["run", "run_event", "boot_phase", "checkpoint", "rollout", "taken_rollout"],
  ...["series", "chunk", "rollup", "replay", "replay_sample", "alert"],
] as const;
export type Table = (typeof TABLES)[number];

/** Parts of a run's folder that are worth keeping; keys, ports and weights are not. */
export const RUN_PARTS = [
  ...["logs", "model", "files", "artifacts", TRAINED_TOKENS],
  "result.json",
] as const;
export const CHECKPOINTS = "checkpoints";

export const refuse = (why: string) =>
  new AppError("BAD_REQUEST", { userMessage: `This is no archive of a run: ${why}.` });

const MOST_NAME = 1_000;
const MOST_DEPTH = 40;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const BAD = /[\u0000-\u001f\u007f\\]/;
const ROOMS = /^(?:rows\/(?:[a-z_]+)\/\d{6}\.jsonl|(?:run|trials)\/.+)$/;

/** The parts of an entry's name below where archives are unpacked. Throws for one that leads anywhere else. Pure. */
export function safeParts(name: string): string[] {
  const parts = name.split("/");
  const isOdd = parts.some((part) => part === "" || part === "." || part === "..");
  if (isOdd || BAD.test(name) || name.length > MOST_NAME || parts.length > MOST_DEPTH)
    throw refuse(`the name ${JSON.stringify(name.slice(0, 100))} leads out of it`);
  if (name !== HEAD && name !== END && !ROOMS.test(name))
    throw refuse(`nothing of a run is called ${JSON.stringify(name.slice(0, 100))}`);
  return parts;
}
