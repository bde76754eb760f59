import { z } from "zod";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { procedure, router } from "#trpc.ts";

export const trajectoryRouter = router({
  get: procedure
    .input(z.object({ rolloutId: z.string(), segmentId: z.number().int().optional() }))
    .query(({ ctx, input }) => getTrajectory(ctx, input)),
});
