import { z } from "zod";

/** Of acts that have nothing to tell. */
export const Done = z.object({});
/** The id of the run that was made. */
export const Made = z.object({ id: z.string() });
