import { AppError } from "@liverl/contract/app-error";
import { LaunchSpec } from "@liverl/contract/launch";
import { FlatSegment } from "@liverl/contract/rollout";
import { z } from "zod";
import type { Context } from "#context.ts";

type Ctx = Pick<Context, "db" | "runner">;
const Flat = z.object({ segments: z.array(FlatSegment) });
/** ATIF 1.7; Harbor's own schema has the rest. */
export const Atif = z.looseObject({
  schema_version: z.string(),
  session_id: z.string(),
  steps: z.array(z.looseObject({ step_id: z.number().int(), source: z.string() })),
});

export interface AskedTrajectory {
  /** Of a rollout, or of an outside agent's session. */
  id: string;
}

/** The segments of a trajectory as the trainer gets them. NOT_FOUND while its session is open. */
export async function flattenTrajectory(
  ctx: Ctx,
  { id, segmentId }: AskedTrajectory & { segmentId?: number | undefined },
): Promise<z.infer<typeof Flat>> {
  const { sessionId, directory } = await findSession(ctx, id);
  const { segments } = Flat.parse(
    await ctx.runner.inspectSession(sessionId, `segments?${new URLSearchParams(directory)}`),
  );
  if (segmentId === undefined) return { segments };
  const wanted = segments.filter((segment) => segment.credit?.segmentId === segmentId);
  if (wanted.length > 0) return { segments: wanted };
  throw new AppError("NOT_FOUND", { userMessage: `${id} has no segment ${segmentId}.` });
}

/** A trajectory in Harbor's format, with token ids and log-probs. */
export async function exportAtif(ctx: Ctx, { id }: AskedTrajectory): Promise<z.infer<typeof Atif>> {
  const { sessionId, agent, directory } = await findSession(ctx, id);
  const { atif } = z
    .object({ atif: Atif.nullable() })
    .parse(
      await ctx.runner.inspectSession(
        sessionId,
        `atif?${new URLSearchParams({ agent, ...directory })}`,
      ),
    );
  if (atif) return atif;
  throw new AppError("NOT_FOUND", { userMessage: `The agent of ${id} asked no model.` });
}

/** The newest attempt of a rollout, who worked on it and where its trial is. What is no rollout may be a session. */
async function findSession(
  ctx: Ctx,
  id: string,
): Promise<{ sessionId: string; agent: string; directory: { directory?: string } }> {
  const row = await ctx.db.rollout.findUnique({ where: { rolloutId: id } });
  if (!row) return { sessionId: id, agent: "unknown", directory: {} };
  const run = row.runId === null ? null : await ctx.db.run.findUnique({ where: { id: row.runId } });
  const directory = row.directory === null ? {} : { directory: row.directory };
  return { sessionId: row.sessionId, agent: agentOf(run?.spec), directory };
}

function agentOf(stored: unknown): string {
  const spec = LaunchSpec.safeParse(stored).data;
  if (!spec) return "unknown";
  return spec.driver === "embedded" ? "mini" : spec.rollout.agent;
}
