"use client";
import { isTerminal, type RunDetail } from "@liverl/contract/run";
import { HOURS_OF } from "#overview/prepare-cost.ts";
import { ForkLink } from "#runs/fork-link.tsx";
import { RunActions } from "#runs/run-actions.tsx";
import { RunStatusWord } from "#runs/run-status.tsx";
import { SOURCE_WORDS } from "#runs/source-words.ts";
import { runHref } from "#shell/links.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { formatNumber } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Meter } from "#ui/meter.tsx";
import { Skeleton } from "#ui/skeleton.tsx";
import { useNow } from "#ui/use-now.ts";

/** Name, status, facts and actions; the same on every page of the run. */
export function RunHeader({
  run,
  name,
  isLoading,
}: {
  run: RunDetail | null;
  name: string;
  isLoading: boolean;
}) {
  return (
    <div className="runhead">
      <span
        className="sw"
        style={{ background: run === null ? "var(--line-2)" : `var(--c${run.color})` }}
      />
      <h1 className="trunc">{name}</h1>
      {isLoading && <Skeleton width={280} height={14} />}
      {run !== null && (
        <>
          <RunStatusWord status={run.status} reason={run.statusReason} />
          {metGoalEarly(run) && <span className="f12 i3 nowrap">goal met</span>}
          <Facts run={run} />
          <RunActions run={run} />
        </>
      )}
    </div>
  );
}

/** A run of ours that succeeded before its last step was ended by its plan's goal: no shortfall. */
function metGoalEarly({ status, driver, step, plannedSteps }: RunDetail): boolean {
  return (
    status === "succeeded" && driver === "embedded" && plannedSteps !== null && step < plannedSteps
  );
}

/** Seconds at work, without the pauses between an end and a resume. */
function elapsedS({ active }: RunDetail, nowMs: number | null): number | null {
  if (active.since === null) return active.seconds > 0 ? active.seconds : null;
  return nowMs === null
    ? null
    : active.seconds + Math.max(0, (nowMs - Date.parse(active.since)) / 1000);
}

function Facts({ run }: { run: RunDetail }) {
  const now = useNow(1_000);
  const isOver = isTerminal(run.status);
  const passed = elapsedS(run, now);
  return (
    <div className="facts" style={{ marginLeft: 8 }}>
      <span className="row">
        <span>
          step <b>{run.step}</b>
          {run.plannedSteps !== null && <> / {run.plannedSteps}</>}
        </span>
        {run.plannedSteps !== null && (
          <Meter
            share={run.step / Math.max(1, run.plannedSteps)}
            width={84}
            color={isOver ? "var(--ink-4)" : undefined}
          />
        )}
      </span>
      {!isOver && run.status !== "stopping" && run.etaS !== null && (
        <span title="Time until the plan is done, from the median of recent steps">
          ETA <b>{formatDuration(run.etaS)}</b>
        </span>
      )}
      {passed !== null && (
        <span className="opt" suppressHydrationWarning>
          {isOver ? "took" : run.driver === "attached" ? "attached for" : "running for"}{" "}
          <b>{formatDuration(passed)}</b>
        </span>
      )}
      {run.stepTimeS !== null && (
        <span className="opt">
          step time <b>{formatDuration(run.stepTimeS)}</b>
        </span>
      )}
      {run.spent !== null && run.spent.deviceHours > 0 && (
        <span className="opt hide-lg" title={HOURS_OF[run.spent.device].title}>
          {HOURS_OF[run.spent.device].unit} <b>{formatNumber(run.spent.deviceHours)}</b>
        </span>
      )}
      {run.parent && (
        <span className="opt">
          fork of <ForkLink fork={run.parent} /> at step <b>{run.parent.step}</b>
        </span>
      )}
      {run.forks.length > 0 && (
        <span className="opt">
          <Link className="lnk" href={runHref(run.project, run.id, "checkpoints")}>
            {run.forks.length === 1 ? "1 fork" : `${run.forks.length} forks`}
          </Link>
        </span>
      )}
      <span className="opt hide-lg">
        {run.algorithm} · {run.source === null ? run.driver : SOURCE_WORDS[run.source].short}
      </span>
    </div>
  );
}
