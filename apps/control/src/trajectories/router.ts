import { Count32 } from "@liverl/contract/int32";
import { GetTrained } from "@liverl/contract/trained-view";
import { GetTurn, OfSegment } from "@liverl/contract/turn-view";
import { OpenTrajectory } from "@liverl/contract/views";
import { z } from "zod";
import { exportAtif, flattenTrajectory } from "#trajectories/export-trajectory.ts";
import { findTurns } from "#trajectories/find-turns.ts";
import { getSegment } from "#trajectories/get-segment.ts";
import { getTerminal } from "#trajectories/get-terminal.ts";
import { getTrajectory } from "#trajectories/get-trajectory.ts";
import { getTrialFile } from "#trajectories/get-trial-file.ts";
import { listActs } from "#trajectories/list-acts.ts";
import { openTrajectory } from "#trajectories/open-trajectory.ts";
import { pageTokens } from "#trajectories/page-tokens.ts";
import { getTrained } from "#trajectories/trained/view-trained.ts";
import { viewTurn } from "#trajectories/view-turn.ts";
import { procedure, router } from "#trpc.ts";

const Id = z.object({ id: z.string().min(1).max(200) });

export const trajectoryRouter = router({
  get: procedure.input(OfSegment).query(({ ctx, input }) => getTrajectory(ctx, input)),
  open: procedure.input(OpenTrajectory).query(({ ctx, input }) => openTrajectory(ctx, input)),
  turn: procedure.input(GetTurn).query(async ({ ctx, input }) => {
    const { tokenizer, ...record } = await getSegment(ctx, input);
    return viewTurn(record, input, tokenizer);
  }),
  tokens: procedure.input(OfSegment.extend({ from: Count32 })).query(async ({ ctx, input }) => {
    const { tokenizer, ...record } = await getSegment(ctx, input);
    return pageTokens(record, input.from, tokenizer);
  }),
  trained: procedure.input(GetTrained).query(({ ctx, input }) => getTrained(ctx, input)),
  find: procedure
    .input(OfSegment.extend({ query: z.string().min(1).max(1_000) }))
    .query(async ({ ctx, input }) => {
      const { tokenizer, ...record } = await getSegment(ctx, input);
      return findTurns(record, input.query, tokenizer);
    }),
  acts: procedure.input(OfSegment).query(({ ctx, input }) => listActs(ctx, input)),
  file: procedure
    .input(z.object({ rolloutId: z.string(), path: z.string().min(1).max(1_000) }))
    .query(({ ctx, input }) => getTrialFile(ctx, input)),
  terminal: procedure
    .input(z.object({ rolloutId: z.string(), from: z.number().int().nonnegative() }))
    .query(({ ctx, input }) => getTerminal(ctx, input)),
  flat: procedure
    .input(Id.extend({ segmentId: Count32.optional() }))
    .query(({ ctx, input }) => flattenTrajectory(ctx, input)),
  atif: procedure.input(Id).query(({ ctx, input }) => exportAtif(ctx, input)),
});
