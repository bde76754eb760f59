import { AppError } from "@liverl/contract/app-error";

/** Of each kind in a project: what people keep by hand is read by people, and looked at again and again by control. */
export const MOST_KEPT = 200;

/** CONFLICT where a project keeps as many of a kind as it may. `what` is their plural. */
export function refuseTooMany(project: string, kept: number, what: string): void {
  if (kept < MOST_KEPT) return;
  throw new AppError("CONFLICT", {
    userMessage: `${project} has ${kept} ${what}. Delete one that nobody needs.`,
  });
}
