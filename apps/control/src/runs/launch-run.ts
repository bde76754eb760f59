import { createHash } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { LaunchRun, LaunchSpec } from "@liverl/contract/launch";
import type { Run } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { beginningOf, findOrigin } from "#forks/find-origin.ts";
import { judgeFork } from "#forks/judge-fork.ts";
import { refuseUnnamedPlaces } from "#launch/check-places.ts";
import { settledSpec } from "#launch/effective-spec.ts";
import { baseOfLaunch } from "#runs/base-of-launch.ts";
import { getRunRow } from "#runs/get-run-row.ts";
import { deleteSecrets, hideValues, keepSecrets, revealValues } from "#runs/hidden-values.ts";
import { insertRun } from "#runs/insert-run.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** Queues a run. The same key with the same spec answers with the run that it made the first time. */
export async function launchRun(
  ctx: Context & { actor: string },
  { spec, idempotencyKey, base }: Omit<LaunchRun, "force">,
): Promise<{ id: string }> {
  const specSha256 = createHash("sha256").update(JSON.stringify(spec)).digest("hex");
  const known = await ctx.db.launchKey.findUnique({ where: { key: idempotencyKey } });
  if (known) return answerKnown(ctx, known, specSha256);
  refuseUnnamedPlaces(ctx.config.places, settledSpec(spec) ?? spec);
  const real = await revealValues(ctx.config.dataDir, spec);
  const refused = await judgeFork(ctx, spec);
  if (refused?.status === "fail")
    throw new AppError("BAD_REQUEST", { userMessage: `${refused.title}: ${refused.why}` });
  const parent = await parentOf(ctx, spec);
  const began = base ?? (parent?.parentId ? { kind: "run" as const, id: parent.parentId } : null);
  const run = await insertRun(ctx, {
    ...parent,
    ...(began && { base: await baseOfLaunch(ctx, began) }),
    project: spec.project,
    name: spec.name,
    status: "draft",
    driver: spec.driver,
    tags: [],
  });
  // Its id names the values that are kept apart. It is a draft until then, which nothing starts.
  const { shown, secrets } = hideValues(real, run.id);
  await keepSecrets(ctx.config.dataDir, run.id, secrets);
  await ctx.db.run.update({ where: { id: run.id }, data: { spec: shown } });
  const [claimed] = await ctx.db.launchKey.createManyAndReturn({
    data: [{ key: idempotencyKey, specSha256, runId: run.id }],
    skipDuplicates: true,
  });
  if (!claimed) {
    // The same key arrived twice at once: the other call's run is the one, ours never leaves draft.
    await ctx.db.run.delete({ where: { id: run.id } });
    await deleteSecrets(ctx.config.dataDir, run.id);
    return answerKnown(
      ctx,
      await ctx.db.launchKey.findUniqueOrThrow({ where: { key: idempotencyKey } }),
      specSha256,
    );
  }
  await queueDraft(ctx, run.id, specSha256);
  return { id: run.id };
}

/** What is kept of the run that a fork begins from; nothing where there is no such run. */
async function parentOf(
  ctx: Pick<Context, "db" | "config">,
  spec: LaunchSpec,
): Promise<Pick<Run, "parentId" | "parentStep" | "parentHow"> | null> {
  const beginning = beginningOf(spec);
  const origin = beginning && findOrigin(ctx.config.dataDir, beginning);
  const parent = origin && (await ctx.db.run.findUnique({ where: { id: origin.runId } }));
  return parent && { parentId: parent.id, parentStep: origin.step, parentHow: beginning.how };
}

async function answerKnown(
  ctx: Context & { actor: string },
  known: { specSha256: string; runId: string },
  specSha256: string,
): Promise<{ id: string }> {
  if (known.specSha256 !== specSha256)
    throw new AppError("CONFLICT", {
      userMessage: `This launch key already made ${known.runId} from other values. Reload the page and launch again.`,
    });
  // A kill between the key and the queue left a draft: the caller, who asks again, is who finishes it.
  await queueDraft(ctx, known.runId, specSha256);
  return { id: known.runId };
}

/** Does nothing to a run that is no draft any more. */
async function queueDraft(
  ctx: Context & { actor: string },
  runId: string,
  specSha256: string,
): Promise<void> {
  const { count } = await ctx.db.run.updateMany({
    where: { id: runId, status: "draft" },
    data: { status: "queued", resumeFrom: "latest" },
  });
  if (count === 0) return;
  await tellParent(ctx, runId);
  await recordRunEvent(ctx, runId, {
    kind: "launch",
    actor: ctx.actor,
    message: `launched with spec ${specSha256.slice(0, 12)}`,
  });
  ctx.wakeDrivers();
}

async function tellParent(ctx: Context & { actor: string }, runId: string): Promise<void> {
  const { parentId, parentStep, parentHow } = await getRunRow(ctx, runId);
  if (parentId === null) return;
  const what = parentHow === "weights" ? "the weights" : "the checkpoint";
  await recordRunEvent(ctx, parentId, {
    kind: "fork",
    actor: ctx.actor,
    step: parentStep,
    message: `${runId} was forked from ${what} of step ${parentStep}`,
    sourceKey: `fork:${runId}`,
  });
}
