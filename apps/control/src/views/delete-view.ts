import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";

export async function deleteView(
  ctx: Pick<Context, "db">,
  { id }: { id: string },
): Promise<Record<string, never>> {
  const { count } = await ctx.db.savedView.deleteMany({ where: { id } });
  if (count === 0)
    throw new AppError("NOT_FOUND", { userMessage: "This view was deleted before." });
  return {};
}
