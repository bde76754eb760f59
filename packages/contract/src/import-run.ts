import { z } from "zod";

/** What an import of an archive answers: where the run is now. */
export const ImportedRun = z.object({ id: z.string(), project: z.string() });
export type ImportedRun = z.infer<typeof ImportedRun>;
