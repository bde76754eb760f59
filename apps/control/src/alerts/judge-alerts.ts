import { AlertCondition } from "@liverl/contract/alert";
import { isTerminal } from "@liverl/contract/run";
import type { Alert, AlertRule, AlertSilence, Finding, Run } from "@liverl/prisma/client";
import {
  type AlertFacts,
  evaluateCondition,
  evaluateMissed,
  metricOf,
} from "#alerts/evaluate-condition.ts";
import { findSilence } from "#alerts/find-silence.ts";
import { fireAlert, resolveAlerts, unsilenceAlert } from "#alerts/fire-alert.ts";
import type { Context } from "#context.ts";
import { viewFinding } from "#findings/store-findings.ts";
import { syncFindings } from "#findings/sync-findings.ts";
import { summariseRuns } from "#runs/summarise-runs.ts";
import { samplesOf } from "#verdict/samples.ts";

type JudgeContext = Pick<Context, "db" | "pool" | "live" | "log">;

interface ReadRule extends Omit<AlertRule, "condition"> {
  condition: AlertCondition;
  row: AlertRule;
}

interface Scene {
  run: Run;
  facts: AlertFacts;
  open: readonly Alert[];
  /** Of the run, but for those that are no news. */
  findings: readonly Finding[];
  /** The newest alert of each rule. */
  newest: readonly Alert[];
  silences: readonly AlertSilence[];
  nowMs: number;
}

/** Looks at every rule of these runs: fires, ends and tells. Again changes nothing. */
export async function judgeAlerts(ctx: JudgeContext, runIds: readonly string[]): Promise<void> {
  const runs = await ctx.db.run.findMany({ where: { id: { in: [...runIds] } } });
  for (const run of runs)
    await syncFindings(ctx, run).catch((error: unknown) =>
      ctx.log.warn({ err: error, runId: run.id }, "findings wait"),
    );
  const projects = [...new Set(runs.map(({ project }) => project))];
  const rules = await readRules(ctx, projects);
  const open = await ctx.db.alert.findMany({
    where: { runId: { in: [...runIds] }, resolvedAt: null },
  });
  const judged = runs.filter(
    ({ id, project }) =>
      rules.some((rule) => rule.project === project) || open.some(({ runId }) => runId === id),
  );
  if (judged.length === 0) return;
  const silences = await ctx.db.alertSilence.findMany({ where: { until: { gt: new Date() } } });
  const ofRuns = { runId: { in: judged.map(({ id }) => id) } };
  const findings = await ctx.db.finding.findMany({ where: { ...ofRuns, isQuiet: false } });
  const newest = await ctx.db.alert.findMany({
    where: ofRuns,
    distinct: ["runId", "ruleId"],
    orderBy: { id: "desc" },
  });
  const metrics = [...new Set(rules.flatMap(({ condition }) => metricOf(condition) ?? []))];
  const found = await summariseRuns(ctx, judged, metrics);
  for (const [i, run] of judged.entries()) {
    const summarised = found[i];
    if (!summarised) continue;
    const { summary, verdict, known } = summarised;
    await judgeRunAlerts(
      ctx,
      rules.filter(({ project }) => project === run.project),
      {
        run,
        facts: {
          ...{ status: summary.status, statusReason: run.statusReason, step: summary.step },
          verdict,
          samplesOf: (metric) => samplesOf(known, metric),
        },
        open: open.filter(({ runId }) => runId === run.id),
        findings: findings.filter(({ runId }) => runId === run.id),
        newest: newest.filter(({ runId }) => runId === run.id),
        silences,
        nowMs: Date.now(),
      },
    );
  }
}

async function readRules(ctx: JudgeContext, projects: readonly string[]): Promise<ReadRule[]> {
  const rows = await ctx.db.alertRule.findMany({
    where: { project: { in: [...projects] }, enabled: true },
  });
  return rows.flatMap((row) => {
    const condition = AlertCondition.safeParse(row.condition);
    if (condition.success) return [{ ...row, condition: condition.data, row }];
    // Of another version: it is listed with its fault and fires never.
    ctx.log.warn({ rule: row.id }, "a rule can not be read");
    return [];
  });
}

async function judgeRunAlerts(
  ctx: JudgeContext,
  rules: readonly ReadRule[],
  scene: Scene,
): Promise<void> {
  for (const rule of rules) await judgeRule(ctx, rule, scene);
  const known = new Set(rules.map(({ id }) => id));
  const orphans = scene.open.filter(({ ruleId }) => ruleId === null || !known.has(ruleId));
  await resolveAlerts(ctx, orphans, "its rule was switched off or removed");
}

async function judgeRule(ctx: JudgeContext, rule: ReadRule, scene: Scene): Promise<void> {
  const { run, facts, open, silences, nowMs } = scene;
  const standing = open.find(({ ruleId }) => ruleId === rule.id);
  const isOf = run.name.includes(rule.runs);
  const isEnded = isTerminal(facts.status);
  const isOfEnd = rule.condition.kind === "status" || rule.condition.kind === "word";
  const now = isOf && (!isEnded || isOfEnd) ? evaluateCondition(rule.condition, facts) : null;
  const firing = now ?? (isOf && !standing ? findMissed(rule, scene) : null);
  const silence = findSilence(
    silences,
    { project: run.project, ruleId: rule.id, runId: run.id },
    nowMs,
  );
  if (standing && !firing) {
    const why = isEnded && !isOfEnd ? `the run ${facts.status}` : "the condition holds no more";
    await resolveAlerts(ctx, [standing], why);
  } else if (standing && standing.silenced !== null && !silence && standing.dismissedAt === null)
    await unsilenceAlert(ctx, standing);
  else if (!standing && firing && !isHistory(run, rule))
    await fireAlert(ctx, rule.row, run.id, firing, silence);
}

/** What was found since the rule last had something to say, and is not on any more. */
function findMissed(rule: ReadRule, { findings, newest, facts }: Scene) {
  const last = newest.find(({ ruleId }) => ruleId === rule.id);
  const since = last ? (last.resolvedAt ?? last.firedAt) : rule.createdAt;
  const missed = findings.filter(
    ({ foundAt, toStep }) => foundAt > since && (toStep !== null || isTerminal(facts.status)),
  );
  return evaluateMissed(rule.condition, missed.map(viewFinding));
}

/** A new rule is about what comes, not about all that ever ended. */
function isHistory({ endedAt }: Run, { createdAt }: ReadRule): boolean {
  return endedAt !== null && endedAt < createdAt;
}
