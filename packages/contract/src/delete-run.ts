import { z } from "zod";

/** With all that is kept of it. There is no way back. */
export const DeleteRun = z.object({ id: z.string().min(1).max(200) });
export type DeleteRun = z.infer<typeof DeleteRun>;
export const DeletedRun = z.object({ freedBytes: z.number() });
export type DeletedRun = z.infer<typeof DeletedRun>;
