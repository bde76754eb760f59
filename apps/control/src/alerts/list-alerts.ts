import type { AlertView, ListAlerts } from "@liverl/contract/alert";
import { viewAlert } from "#alerts/view-alert.ts";
import type { Context } from "#context.ts";

const PAGE = 100;

/** Firings of a project, newest first, and how many are open. */
export async function listAlerts(
  { db }: Pick<Context, "db">,
  { project, view, before }: ListAlerts,
): Promise<{ alerts: AlertView[]; open: number; silenced: number; nextBefore: number | null }> {
  const open = { project, resolvedAt: null, dismissedAt: null, silenced: null };
  const silenced = { project, resolvedAt: null, dismissedAt: null, silenced: { not: null } };
  const of = { open, silenced, history: { project } }[view];
  const [rows, openCount, silencedCount] = await Promise.all([
    db.alert.findMany({
      where: { ...of, ...(before === undefined ? {} : { id: { lt: before } }) },
      orderBy: { id: "desc" },
      take: PAGE + 1,
      include: {
        run: true,
        deliveries: { orderBy: { id: "asc" }, include: { receiver: { select: { name: true } } } },
      },
    }),
    db.alert.count({ where: open }),
    db.alert.count({ where: silenced }),
  ]);
  const page = rows.slice(0, PAGE);
  return {
    alerts: page.map(viewAlert),
    open: openCount,
    silenced: silencedCount,
    nextBefore: rows.length > PAGE ? (page.at(-1)?.id ?? null) : null,
  };
}
