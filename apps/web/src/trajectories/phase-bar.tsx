import type { TrajectoryView } from "@liverl/contract/views";
import styles from "#trajectories/phase-bar.module.css";
import { formatDuration } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { useNow } from "#ui/use-now.ts";

type Phase = TrajectoryView["phases"][number];
const LABELS: Record<Phase["phase"], string> = {
  queue: "Queue",
  environment: "Sandbox",
  agent: "Agent",
  verifier: "Verifier",
  end: "Clean up",
};
const WORDS = {
  done: "done",
  now: "under way",
  failed: "failed",
  waiting: "to come",
  skipped: "did not run",
} as const;

/** How far a trial in a sandbox has come, and how long each part took. */
export function PhaseBar({ phases }: { phases: readonly Phase[] }) {
  const now = useNow(1_000);
  const hasSteps = phases.some(({ step }) => step !== null);
  return (
    <ol
      className={`${styles.bar} ${hasSteps ? styles.steps : ""}`}
      aria-label="Phases of the trial"
    >
      {phases.map((phase) => {
        const seconds = secondsOf(phase, now);
        const { step } = phase;
        const label = LABELS[phase.phase];
        return (
          <li
            key={`${phase.phase} ${step ?? ""}`}
            data-state={phase.state}
            aria-current={phase.state === "now" ? "step" : undefined}
            title={`${label}${step === null ? "" : ` of step ${step}`}: ${WORDS[phase.state]}`}
          >
            <span>
              {phase.state === "done" && <Icon name="check" size={11} />}
              {phase.state === "failed" && <Icon name="x" size={11} />}
              {label}
            </span>
            <small>{seconds === null ? "—" : formatDuration(seconds)}</small>
            {step !== null && <em>{step}</em>}
          </li>
        );
      })}
    </ol>
  );
}

function secondsOf({ startedAt, endedAt }: Phase, now: number | null): number | null {
  const end = endedAt === null ? now : Date.parse(endedAt);
  if (startedAt === null || end === null) return null;
  return Math.max(0, end - Date.parse(startedAt)) / 1_000;
}
