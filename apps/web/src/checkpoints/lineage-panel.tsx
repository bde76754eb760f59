import type { RunDetail } from "@liverl/contract/run";
import type { CheckpointRow } from "@liverl/contract/views";
import styles from "#checkpoints/checkpoints.module.css";
import { Lineage } from "#checkpoints/lineage.tsx";
import { ForkLink } from "#runs/fork-link.tsx";
import { Panel } from "#ui/panel.tsx";

export function LineagePanel({ run, rows }: { run: RunDetail; rows: readonly CheckpointRow[] }) {
  return (
    <Panel
      title="Lineage"
      note={
        run.parent ? (
          <>
            fork of <ForkLink fork={run.parent} /> at step {run.parent.step}
          </>
        ) : (
          "x: step · filled marks are on disk"
        )
      }
      right={<Legend color={run.color} />}
    >
      <Lineage
        rows={rows}
        step={run.step}
        plannedSteps={run.plannedSteps}
        color={run.color}
        status={run.status}
      />
    </Panel>
  );
}

function Legend({ color }: { color: number }) {
  return (
    <span className={styles.legend}>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <path d="M6 1l5 5-5 5-5-5z" fill={`var(--c${color})`} />
        </svg>
        on disk
      </span>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <path
            d="M6 1.5l4.5 4.5-4.5 4.5-4.5-4.5z"
            fill="none"
            stroke="var(--ink-4)"
            strokeWidth="1.3"
          />
        </svg>
        removed
      </span>
    </span>
  );
}
