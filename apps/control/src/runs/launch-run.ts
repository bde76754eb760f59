import { createHash } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { LaunchRun } from "@liverl/contract/launch";
import type { Context } from "#context.ts";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Queues a run. The same key with the same spec answers with the run that it made the first time. */
export async function launchRun(
  ctx: Context & { actor: string },
  { spec, idempotencyKey }: LaunchRun,
): Promise<{ id: string }> {
  const specSha256 = createHash("sha256").update(JSON.stringify(spec)).digest("hex");
  const known = await ctx.db.launchKey.findUnique({ where: { key: idempotencyKey } });
  if (known) return answerKnown(known, specSha256);
  const run = await insertRun(ctx, {
    project: spec.project,
    name: spec.name,
    status: "draft",
    driver: spec.driver,
    spec,
    tags: [],
  });
  const [claimed] = await ctx.db.launchKey.createManyAndReturn({
    data: [{ key: idempotencyKey, specSha256, runId: run.id }],
    skipDuplicates: true,
  });
  if (!claimed) {
    // The same key arrived twice at once: the other call's run is the one, ours never leaves draft.
    await ctx.db.run.delete({ where: { id: run.id } });
    return answerKnown(
      await ctx.db.launchKey.findUniqueOrThrow({ where: { key: idempotencyKey } }),
      specSha256,
    );
  }
  await ctx.db.run.updateMany({
    where: { id: run.id, status: "draft" },
    data: { status: "queued", resumeFrom: "latest" },
  });
  await recordRunEvent(ctx, run.id, {
    kind: "launch",
    actor: ctx.actor,
    message: `launched with spec ${specSha256.slice(0, 12)}`,
  });
  ctx.wakeDrivers();
  return { id: run.id };
}

function answerKnown(
  known: { specSha256: string; runId: string },
  specSha256: string,
): { id: string } {
  if (known.specSha256 === specSha256) return { id: known.runId };
  throw new AppError("CONFLICT", {
    userMessage: `This launch key already made ${known.runId} from other values. Reload the page and launch again.`,
  });
}
