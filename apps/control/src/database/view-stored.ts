import { AppError } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { z } from "zod";

/**
 * What `view` makes of a stored row. A value that none of our writers puts there is damage, and is told with the row's name:
 * whoever asked has done nothing wrong.
 */
export function viewStored<T>(row: string, view: () => T): T {
  try {
    return view();
  } catch (error) {
    const damage = damageOf(error);
    if (damage === null) throw error;
    throw new AppError("INTERNAL", {
      userMessage: `The stored row of ${row} is damaged: ${damage}.`,
      cause: error,
    });
  }
}

/** What is wrong with a value that was read, in words; null for an error that speaks of something else. */
export function damageOf(error: unknown): string | null {
  if (error instanceof z.ZodError) return faultOf(error);
  // Of a time that no Date can name.
  return error instanceof RangeError ? error.message : null;
}
