"use client";
import type { BootPhase, RunDetail } from "@liverl/contract/run";
import { BootLog } from "#overview/boot-log.tsx";
import classes from "#overview/boot-view.module.css";
import { type BootRow, currentPhase, prepareBoot, remainingS } from "#overview/prepare-boot.ts";
import { runHref } from "#shell/links.ts";
import { formatDuration } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { StatusWord } from "#ui/status-word.tsx";
import { useNow } from "#ui/use-now.ts";

/** What a run does before its first step: named waits against what earlier runs took, its processes and its log. */
export function BootView({ run }: { run: RunDetail }) {
  const now = useNow(1_000);
  const rows = prepareBoot(run.boot, now);
  const current = currentPhase(run.boot);
  const left = remainingS(rows);
  const passed = rows.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  const firstStep = run.parent?.how === "resume" ? run.parent.step + 1 : 1;
  const chartsWords =
    run.step >= firstStep
      ? `Charts go on after step ${run.step}.`
      : `Charts begin with step ${firstStep}.`;
  const hasEnded = current?.status === "failed";
  const isQueued = run.status === "queued";
  const isCancelled = run.status === "cancelled";
  return (
    <>
      <section className="panel" aria-label="Boot">
        <div className="verdict">
          <div>
            <h2>
              <StatusDot
                kind={isQueued || isCancelled ? "off" : hasEnded ? "bad" : "boot"}
                size={11}
              />
              {isQueued
                ? "Queued"
                : hasEnded
                  ? `${isCancelled ? "Stopped while booting" : "Boot failed"}: ${current.label}`
                  : `Booting${current === null ? "" : `: ${current.label}`}`}
            </h2>
            <p>{run.statusReason ?? current?.detail ?? chartsWords}</p>
          </div>
          <div className="verdict-cells">
            <div className="adv">
              <h3>
                {isQueued
                  ? "Boot has not begun"
                  : hasEnded
                    ? `Boot took ${formatDuration(passed)}`
                    : `Boot ${formatDuration(passed)} so far`}
              </h3>
              <p>
                {isQueued
                  ? describeWhole(left)
                  : hasEnded
                    ? "It ended before the first step."
                    : describeLeft(left)}
              </p>
            </div>
            <div className="adv">
              <h3>Processes</h3>
              <dl className="marks">
                {run.processes.length === 0 && <div>None started yet</div>}
                {run.processes.map((process) => (
                  <div key={process.name}>
                    <dt className="m">{process.name}</dt>
                    <dd>
                      <StatusWord
                        kind={
                          process.status === "up"
                            ? "ok"
                            : process.status === "starting"
                              ? "boot"
                              : process.status === "exited"
                                ? "off"
                                : "warn"
                        }
                      >
                        {process.status}
                      </StatusWord>
                    </dd>
                  </div>
                ))}
              </dl>
            </div>
          </div>
        </div>
      </section>
      <div className={classes.columns}>
        <Panel title="Boot phases" note="progress, elapsed time">
          <ol>
            {rows.map((row) => (
              <PhaseRow key={row.phase.id} row={row} />
            ))}
          </ol>
        </Panel>
        <Panel
          title="Trainer log"
          right={
            <Link className="lnk f12" href={runHref(run.project, run.id, "logs")}>
              Open logs
            </Link>
          }
        >
          <BootLog runId={run.id} />
        </Panel>
      </div>
    </>
  );
}

function PhaseRow({ row: { phase, seconds, done, basis } }: { row: BootRow }) {
  const estimate = basis === "estimated" ? "Estimated from earlier runs" : undefined;
  return (
    <li
      className={`${classes.phase} ${classes[phase.status] ?? ""}`}
      aria-current={phase.status === "now" ? "step" : undefined}
    >
      <span className={classes.mark}>
        {phase.status === "done" && <Icon name="check" size={14} />}
        {phase.status === "now" && <StatusDot kind="boot" size={11} />}
        {phase.status === "failed" && <StatusDot kind="bad" />}
        {phase.status === "todo" && <span className={classes.ring} />}
        <span className="sr">{phase.status}</span>
      </span>
      <span className="med trunc">{phase.label}</span>
      <span
        className={`${classes.track} ${done === null ? classes.unknown : ""}`}
        aria-hidden="true"
        title={estimate}
      >
        <i style={{ width: `${(done ?? 1) * 100}%` }} />
      </span>
      <span className="f12 i3 trunc" title={phase.detail ?? undefined}>
        {phase.detail ?? describeTypical(phase)}
      </span>
      <span className="r">
        {seconds === null ? <span className="i3">—</span> : formatDuration(seconds)}
      </span>
    </li>
  );
}

/** How long the phase took in earlier runs, while it has nothing to say itself. */
function describeTypical({ status, typicalS }: BootPhase): string | null {
  if (typicalS === null || (status !== "todo" && status !== "now")) return null;
  const [low, high] = typicalS.map((seconds) => formatDuration(seconds));
  return low === high ? `usually ${low}` : `usually ${low} to ${high}`;
}

function describeWhole(left: number | null): string {
  return left === null
    ? "No previous boots to compare with."
    : `Previous boots took about ${formatDuration(left)}.`;
}

function describeLeft(left: number | null): string {
  if (left === null) return "No estimate yet: this is the first boot on this machine.";
  return left < 1 ? "Longer than previous boots." : `About ${formatDuration(left)} left.`;
}
