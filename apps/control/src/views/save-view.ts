import { randomBytes } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { SavedView, SaveView } from "@liverl/contract/metrics-view";
import { Prisma } from "@liverl/prisma/client";
import type { Context } from "#context.ts";
import { refuseTooMany } from "#refuse-too-many.ts";
import { viewOf } from "#views/list-views.ts";

/** Saves a view for all runs of the project, or replaces the one with this id. */
export async function saveView(
  ctx: Pick<Context, "db"> & { actor: string },
  { id, project, name, state, seenAt }: SaveView,
): Promise<SavedView> {
  const same = await ctx.db.savedView.findUnique({ where: { project_name: { project, name } } });
  if (same !== null && same.id !== id) throw taken(project, name);
  if (id !== undefined) return replace(ctx, { id, project, name, state, seenAt });
  refuseTooMany(project, await ctx.db.savedView.count({ where: { project } }), "views");
  const newId = `v-${randomBytes(6).toString("hex")}`;
  // Somebody else may take the name at the same moment.
  const [row] = await ctx.db.savedView.createManyAndReturn({
    data: [{ id: newId, project, name, author: ctx.actor, state }],
    skipDuplicates: true,
  });
  if (row === undefined) throw taken(project, name);
  return viewOf(row);
}

async function replace(
  ctx: Pick<Context, "db">,
  { id, project, name, state, seenAt }: SaveView & { id: string },
): Promise<SavedView> {
  const [row] = await ctx.db.savedView
    .updateManyAndReturn({
      where: { id, project, ...(seenAt !== undefined && { updatedAt: new Date(seenAt) }) },
      data: { name, state, updatedAt: new Date() },
    })
    .catch((error: unknown) => {
      // Somebody else took the name at the same moment.
      throw isDuplicate(error) ? taken(project, name) : error;
    });
  if (row !== undefined) return viewOf(row);
  const changed = await ctx.db.savedView.findFirst({ where: { id, project } });
  throw changed === null ? gone() : changedMeanwhile(changed);
}

const isDuplicate = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";

function changedMeanwhile({ name }: { name: string }): AppError {
  return new AppError("CONFLICT", {
    userMessage: `“${name}” was changed by somebody else meanwhile, and nothing is written over. Open it again to see how it is now, or save yours as a new view.`,
  });
}

function taken(project: string, name: string): AppError {
  return new AppError("CONFLICT", {
    userMessage: `${project} has a view called “${name}”. Choose another name, or open that view and update it.`,
  });
}

function gone(): AppError {
  return new AppError("NOT_FOUND", {
    userMessage: "This view was deleted. Save it as a new one.",
  });
}
