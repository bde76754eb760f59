import type { ClusterView } from "@liverl/contract/cluster";
import type { SandboxTrial } from "@liverl/contract/rollout";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import styles from "#cluster/cluster.module.css";
import { KnownNote } from "#cluster/known-note.tsx";
import own from "#cluster/sandboxes.module.css";
import { trajectoryHref } from "#shell/links.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatCount } from "#ui/format-number.ts";
import { Link } from "#ui/link.tsx";
import { Panel } from "#ui/panel.tsx";
import { When } from "#ui/when.tsx";

const ROW = 30;
const PHASES = {
  environment: { label: "Environment", color: "var(--ph-wait)" },
  agent: { label: "Agent", color: "var(--ph-think)" },
  verifier: { label: "Verifier", color: "var(--ph-verify)" },
  end: { label: "Removal", color: "var(--ph-queue)" },
} as const;

/** Trials in sandboxes by what they do, the oldest first, and what lately went wrong. */
export function SandboxesPanel({
  known,
  runs,
}: {
  known: ClusterView["sandboxes"];
  runs: ClusterView["runs"];
}) {
  const trials = known.value?.trials ?? [];
  const errors = known.value?.errors ?? [];
  return (
    <Panel title="Sandboxes" note={trials.length > 0 && formatCount(trials.length)}>
      <KnownNote at={known.at} fault={known.fault} />
      {known.value !== null && trials.length === 0 && (
        <EmptyState title="No trial is in a sandbox">
          Tasks in Harbor's format have one each. The embedded policy's need none.
        </EmptyState>
      )}
      {trials.length > 0 && (
        <>
          <Shares trials={trials} />
          <Trials trials={trials} runs={runs} />
        </>
      )}
      {errors.length > 0 && (
        <div className={own.errors}>
          <span className="i3">Errors of 24 hours</span>
          {errors.map(({ type, count }) => (
            <span key={type}>
              <span className="m">{type}</span> <b>{formatCount(count)}</b>
            </span>
          ))}
        </div>
      )}
    </Panel>
  );
}

function Shares({ trials }: { trials: readonly SandboxTrial[] }) {
  const shares = Object.entries(PHASES).flatMap(([phase, { label, color }]) => {
    const count = trials.filter((trial) => trial.phase === phase).length;
    return count === 0 ? [] : [{ phase, label, color, count }];
  });
  return (
    <div className={own.shares}>
      <div className={own.bar} aria-hidden="true">
        {shares.map(({ phase, color, count }) => (
          <i key={phase} style={{ flexGrow: count, background: color }} />
        ))}
      </div>
      {shares.map(({ phase, label, color, count }) => (
        <span key={phase}>
          <i className="sw" style={{ background: color }} /> {label} {formatCount(count)}
        </span>
      ))}
    </div>
  );
}

/** Only the rows in view are mounted. */
function Trials({ trials, runs }: { trials: readonly SandboxTrial[]; runs: ClusterView["runs"] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: trials.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  return (
    <div ref={scroller} className={`${own.list} scroll`} role="list" aria-label="Sandboxes">
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((place) => {
          const trial = trials[place.index];
          if (!trial) return null;
          return (
            <div
              key={trial.rolloutId}
              role="listitem"
              className={own.trial}
              style={{ height: ROW, transform: `translateY(${place.start}px)` }}
            >
              <Name trial={trial} run={runs.find(({ id }) => id === trial.runId)} />
              <span
                className="trunc"
                title={trial.step === null ? undefined : `Step ${trial.step}`}
              >
                <i className="sw" style={{ background: PHASES[trial.phase].color }} />{" "}
                {PHASES[trial.phase].label}
                {trial.step === null ? "" : ` of ${trial.step}`} <When at={trial.since} />
              </span>
              <span className={styles.wide}>{trial.agent}</span>
              <span className={`m i3 trunc ${styles.wide}`} title={trial.sandbox ?? undefined}>
                {trial.sandbox ?? "none yet"}
              </span>
              <span className="r i3">
                <When at={trial.startedAt} />
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Name({
  trial,
  run,
}: {
  trial: SandboxTrial;
  run: ClusterView["runs"][number] | undefined;
}) {
  const words = (
    <>
      {trial.taskName}
      {trial.attempt > 1 && <span className="warn-t"> attempt {trial.attempt}</span>}
    </>
  );
  if (!run) return <span className="trunc">{words}</span>;
  return (
    <span className="trunc">
      <Link className="lnk" href={trajectoryHref(run.project, run.id, trial.rolloutId)}>
        {words}
      </Link>{" "}
      <span className="i3">{run.name}</span>
    </span>
  );
}
