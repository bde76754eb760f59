import type { Context } from "#context.ts";

const MOST_TOLD = 500;

/** What lists and headers show of a project's runs may have changed: they look again. */
export async function tellRuns(
  { db, live }: Pick<Context, "db" | "live">,
  project: string,
): Promise<void> {
  const runs = await db.run.findMany({
    where: { project },
    orderBy: { createdAt: "desc" },
    take: MOST_TOLD,
    select: { id: true },
  });
  for (const { id } of runs) live.emit("run", id);
}
