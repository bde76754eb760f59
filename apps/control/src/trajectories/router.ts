import { z } from "zod";
import { exportAtif, flattenTrajectory } from "#trajectories/export-trajectory.ts";
import { getTerminal } from "#trajectories/get-terminal.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { getTrialFile } from "#trajectories/get-trial-file.ts";
import { procedure, router } from "#trpc.ts";

const Id = z.object({ id: z.string().min(1).max(200) });

export const trajectoryRouter = router({
  get: procedure
    .input(z.object({ rolloutId: z.string(), segmentId: z.number().int().optional() }))
    .query(({ ctx, input }) => getTrajectory(ctx, input)),
  file: procedure
    .input(z.object({ rolloutId: z.string(), path: z.string().min(1).max(1_000) }))
    .query(({ ctx, input }) => getTrialFile(ctx, input)),
  terminal: procedure
    .input(z.object({ rolloutId: z.string(), from: z.number().int().nonnegative() }))
    .query(({ ctx, input }) => getTerminal(ctx, input)),
  flat: procedure
    .input(Id.extend({ segmentId: z.number().int().nonnegative().optional() }))
    .query(({ ctx, input }) => flattenTrajectory(ctx, input)),
  atif: procedure.input(Id).query(({ ctx, input }) => exportAtif(ctx, input)),
});
