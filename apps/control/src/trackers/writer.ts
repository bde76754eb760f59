import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";

/**
 * Whose runs a request of a tracker may begin, write and read: of one project with a token of that project, those that the
 * token which all trainers may share began, or all.
 */
export type Writer = { by: string } & (
  | { kind: "anyone" }
  | { kind: "shared" }
  | { kind: "project"; project: string }
);

/** Kept with a run that the shared token began. */
export const SHARED_TOKEN = "ingest";

export type TrackerContext = Context & { actor: string; writer: Writer };

/** What decides it of a run. `begunBy` is null for runs of versions that did not keep it. */
export interface Owned {
  project: string;
  begunBy: string | null;
}

export function mayTouch(writer: Writer, { project, begunBy }: Owned): boolean {
  if (writer.kind === "project") return project === writer.project;
  return writer.kind === "anyone" || begunBy === null || begunBy === SHARED_TOKEN;
}

export function refuseForeign(writer: Writer, run: Owned): void {
  if (!mayTouch(writer, run)) throw notYours(writer);
}

/** Throws FORBIDDEN where a token of one project would begin something in another. */
export function refuseOtherProject(writer: Writer, project: string): void {
  if (writer.kind === "project" && writer.project !== project) throw notYours(writer);
}

function notYours(writer: Writer): AppError {
  return new AppError("FORBIDDEN", {
    userMessage:
      writer.kind === "project"
        ? `This token logs into the project ${writer.project} alone.`
        : "This run was begun with another token: the ingest token that all share writes only runs that it began.",
  });
}
