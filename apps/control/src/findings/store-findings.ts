import { describeFinding, type Finding, Health } from "@liverl/contract/run";
import type { Finding as FindingRow } from "@liverl/prisma/client";
import { viewStored } from "#database/view-stored.ts";
import { isOver } from "#findings/replay-findings.ts";
import type { FindingContext } from "#findings/sync-findings.ts";
import { type NewRunEvent, recordRunEvents } from "#runs/record-run-event.ts";

const ACTOR = "verdict";
/** A verdict shows no more of them; the newest count. */
const MAX_SHOWN = 200;

const keyOf = ({ sign, fromStep }: Pick<Finding, "sign" | "fromStep">) => `${sign}:${fromStep}`;
const beginKey = (one: Pick<Finding, "sign" | "fromStep">) => `finding:${keyOf(one)}:begin`;
const endKey = (one: Pick<Finding, "sign" | "fromStep">) => `finding:${keyOf(one)}:end`;

interface Found {
  /** All of the run. */
  findings: readonly Finding[];
  newestStep: number;
  /** Findings that began up to this step are not news; null: all are. */
  quietTo: number | null;
}

/** Makes the stored findings of a run, and their events, the ones that were found. Again changes nothing. */
export async function storeFindings(
  ctx: Parameters<typeof recordRunEvents>[0] & FindingContext,
  runId: string,
  { findings, newestStep, quietTo }: Found,
): Promise<void> {
  const stored = new Map(
    (await ctx.db.finding.findMany({ where: { runId } })).map((row) => [keyOf(row), row]),
  );
  const wanted = new Set(findings.map(keyOf));
  const gone = [...stored.values()].filter((row) => !wanted.has(keyOf(row)));
  const changed = findings
    .map((one) => ({ one, row: stored.get(keyOf(one)), isEnded: isOver(one, newestStep) }))
    .filter(({ one, row, isEnded }) => row === undefined || isChanged(one, row, isEnded));
  // An end that was recorded and is another now: points came late, or the run went back.
  const reopened = changed.flatMap(({ one, row }) =>
    row?.isOver === true && row.toStep !== one.toStep ? [endKey(one)] : [],
  );
  await removeEvents(ctx, runId, [
    ...gone.flatMap((row) => [beginKey(row), endKey(row)]),
    ...reopened,
  ]);
  for (const { sign, fromStep } of gone)
    await ctx.db.finding.deleteMany({ where: { runId, sign, fromStep } });
  for (const { one, row } of changed)
    if (row && row.title !== one.title)
      await ctx.db.runEvent.updateMany({
        where: { runId, sourceKey: beginKey(one) },
        data: { message: describeFinding({ ...one, toStep: null }) },
      });
  await recordRunEvents(
    ctx,
    runId,
    changed.flatMap(({ one, isEnded }) => eventsOf(one, isEnded)),
  );
  // Behind the events, which are recorded once: a crash in between leaves none out.
  for (const { one, isEnded } of changed) {
    const row = rowOf(one, isEnded);
    const isQuiet = quietTo !== null && one.fromStep <= quietTo;
    await ctx.db.finding.upsert({
      where: { runId_sign_fromStep: { runId, sign: one.sign, fromStep: one.fromStep } },
      create: { runId, ...row, isQuiet },
      update: row,
    });
  }
}

function isChanged(one: Finding, row: FindingRow, isEnded: boolean): boolean {
  const { title, detail, level, toStep } = row;
  return (
    title !== one.title ||
    detail !== one.detail ||
    level !== one.level ||
    toStep !== one.toStep ||
    row.isOver !== isEnded
  );
}

const rowOf = (one: Finding, isEnded: boolean) => ({
  ...one,
  fromAt: new Date(one.fromAt),
  toAt: one.toAt === null ? null : new Date(one.toAt),
  isOver: isEnded,
});

function eventsOf(one: Finding, isEnded: boolean): NewRunEvent[] {
  const { fromStep, toStep, fromAt, toAt } = one;
  const begin = {
    ...{ kind: "finding" as const, actor: ACTOR, step: fromStep, at: new Date(fromAt) },
    message: describeFinding({ ...one, toStep: null }),
    sourceKey: beginKey(one),
  };
  if (!isEnded || toStep === null) return [begin];
  const end = {
    ...{ kind: "finding" as const, actor: ACTOR, step: toStep, at: new Date(toAt ?? fromAt) },
    message: describeFinding(one),
    sourceKey: endKey(one),
  };
  return [begin, end];
}

async function removeEvents(
  { db, live }: FindingContext,
  runId: string,
  sourceKeys: readonly string[],
): Promise<void> {
  if (sourceKeys.length === 0) return;
  const where = { runId, sourceKey: { in: [...sourceKeys] } };
  const rows = await db.runEvent.findMany({ where, select: { id: true } });
  await db.runEvent.deleteMany({ where });
  for (const { id } of rows) live.emit("eventGone", runId, id);
  live.emit("run", runId);
}

/** Stored findings of a run, by their first step. */
export async function listFindings(
  { db }: Pick<FindingContext, "db">,
  runId: string,
): Promise<Finding[]> {
  const rows = await db.finding.findMany({
    where: { runId },
    orderBy: [{ fromStep: "desc" }, { sign: "asc" }],
    take: MAX_SHOWN,
  });
  return rows.reverse().map(viewFinding);
}

export function viewFinding(row: FindingRow): Finding {
  const { sign, title, detail, metricKey, fromStep, toStep } = row;
  return viewStored(`finding ${keyOf(row)}`, () => ({
    ...{ sign, title, detail, metricKey, fromStep, toStep },
    level: Health.parse(row.level),
    fromAt: row.fromAt.toISOString(),
    toAt: row.toAt?.toISOString() ?? null,
  }));
}
