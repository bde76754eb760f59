"use client";
import "@xterm/xterm/css/xterm.css";
import type { TrajectoryView } from "@liverl/contract/views";
import { AgentTerminal } from "#terminals/agent-terminal.tsx";
import { ShellPane } from "#terminals/shell-pane.tsx";
import styles from "#terminals/terminals.module.css";
import { Seg } from "#ui/seg.tsx";

/** What the agent did in its terminal, and a shell of one's own beside it. */
export function TerminalView({
  view,
  pane,
  onPane,
}: {
  view: TrajectoryView;
  pane: "agent" | "shell";
  onPane: (pane: "agent" | "shell") => void;
}) {
  const { status, rolloutId } = view.rollout;
  const isLive = status === "queued" || status === "running";
  return (
    <section className={styles.view} aria-label="Terminal">
      <div className={styles.head}>
        <Seg
          label="Which terminal"
          value={pane}
          options={[
            { value: "agent", label: "Agent" },
            { value: "shell", label: "Shell" },
          ]}
          onChange={onPane}
        />
      </div>
      {pane === "agent" ? (
        <AgentTerminal view={view} />
      ) : (
        <ShellPane rolloutId={rolloutId} isLive={isLive} />
      )}
    </section>
  );
}
