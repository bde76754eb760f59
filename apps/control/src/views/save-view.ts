import { randomBytes } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { SavedView, SaveView } from "@liverl/contract/metrics-view";
import type { Context } from "#context.ts";
import { viewOf } from "#views/list-views.ts";

const MOST_OF_PROJECT = 200;

/** Saves a view for all runs of the project, or replaces the one with this id. */
export async function saveView(
  ctx: Pick<Context, "db"> & { actor: string },
  { id, project, name, state }: SaveView,
): Promise<SavedView> {
  const same = await ctx.db.savedView.findUnique({ where: { project_name: { project, name } } });
  if (same !== null && same.id !== id)
    throw new AppError("CONFLICT", {
      userMessage: `${project} has a view called “${name}”. Choose another name, or open that view and update it.`,
    });
  if (id !== undefined) return replace(ctx, { id, project, name, state });
  if ((await ctx.db.savedView.count({ where: { project } })) >= MOST_OF_PROJECT)
    throw new AppError("CONFLICT", {
      userMessage: `${project} has ${MOST_OF_PROJECT} views. Delete one that nobody needs.`,
    });
  const row = await ctx.db.savedView.create({
    data: { id: `v-${randomBytes(6).toString("hex")}`, project, name, author: ctx.actor, state },
  });
  return viewOf(row);
}

async function replace(
  ctx: Pick<Context, "db">,
  { id, project, name, state }: SaveView & { id: string },
): Promise<SavedView> {
  const [row] = await ctx.db.savedView.updateManyAndReturn({
    where: { id, project },
    data: { name, state, updatedAt: new Date() },
  });
  if (row === undefined) throw gone();
  return viewOf(row);
}

function gone(): AppError {
  return new AppError("NOT_FOUND", {
    userMessage: "This view was deleted. Save it as a new one.",
  });
}
