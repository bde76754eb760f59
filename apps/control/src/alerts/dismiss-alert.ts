import { AppError } from "@liverl/contract/app-error";
import type { Context } from "#context.ts";

/** Puts a firing aside while its condition still holds; it fires again only after it was over. */
export async function dismissAlert(
  { db }: Pick<Context, "db">,
  { project, id }: { project: string; id: number },
): Promise<void> {
  const { count } = await db.alert.updateMany({
    where: { id, project, resolvedAt: null, dismissedAt: null },
    data: { dismissedAt: new Date() },
  });
  if (count === 0) throw new AppError("CONFLICT", { userMessage: "This alert is over already." });
}
