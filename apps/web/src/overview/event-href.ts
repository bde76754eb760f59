import type { RibbonGlyph } from "#overview/prepare-ribbon.ts";
import { runHref, stepHref } from "#shell/links.ts";

/** Where more is said of what happened at a step. */
export function eventHref(
  project: string,
  runId: string,
  { kind, step }: Pick<RibbonGlyph, "kind" | "step">,
): string {
  if (kind === "checkpoint") return runHref(project, runId, "checkpoints");
  if (kind === "finding") return stepHref(project, runId, step);
  return kind === "evaluation"
    ? stepHref(project, runId, step, "eval")
    : runHref(project, runId, "events");
}
