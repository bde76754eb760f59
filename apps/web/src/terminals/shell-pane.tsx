"use client";
import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { openShell } from "#terminals/shell-connection.ts";
import styles from "#terminals/terminals.module.css";
import { useXterm } from "#terminals/use-xterm.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { StatusWord } from "#ui/status-word.tsx";

type Phase =
  | { kind: "none" }
  | { kind: "opening" }
  | { kind: "open"; sandbox: string }
  | { kind: "ended"; reason: string };

/** A shell of one's own in the sandbox of a trial that goes on. It is opened by a press, never by a link. */
export function ShellPane({ rolloutId, isLive }: { rolloutId: string; isLive: boolean }) {
  const [phase, setPhase] = useState<Phase>({ kind: "none" });
  const [times, setTimes] = useState(0);
  if (times === 0) return <Before isLive={isLive} onOpen={() => setTimes(1)} />;
  return (
    <>
      <div className={styles.bar}>
        <Words phase={phase} />
        <span className="end row">
          {phase.kind === "open" && (
            <span className="i3 nowrap hide-md">
              <Kbd>⇧Tab</Kbd> leaves the terminal
            </span>
          )}
          {phase.kind === "ended" && isLive && (
            <Button
              leftSection={<Icon name="retry" size={13} />}
              onClick={() => setTimes(times + 1)}
            >
              Open another
            </Button>
          )}
          {(phase.kind === "open" || phase.kind === "opening") && (
            <Button onClick={() => setTimes(0)}>Close the shell</Button>
          )}
        </span>
      </div>
      <OneShell key={times} rolloutId={rolloutId} onPhase={setPhase} />
    </>
  );
}

function Before({ isLive, onOpen }: { isLive: boolean; onOpen: () => void }) {
  if (!isLive)
    return (
      <EmptyState title="The sandbox is gone">
        A shell can be opened while the agent or the verifier works.
      </EmptyState>
    );
  return (
    <EmptyState
      title="A shell in the sandbox of this trial"
      action={
        <Button variant="filled" leftSection={<Icon name="term" size={14} />} onClick={onOpen}>
          Open a shell
        </Button>
      }
    >
      What is typed there may change the outcome, so the trial is marked with <b>operator-shell</b>,
      and the run's events say who opened it. It ends with the agent, with the trial, and after 15
      minutes without a key.
    </EmptyState>
  );
}

function Words({ phase }: { phase: Phase }) {
  if (phase.kind === "open")
    return (
      <StatusWord kind="live">
        A shell in <span className="m">{phase.sandbox}</span>
      </StatusWord>
    );
  if (phase.kind === "ended") return <StatusWord kind="off">{phase.reason}</StatusWord>;
  return <StatusWord kind="boot">Opening</StatusWord>;
}

function OneShell({ rolloutId, onPhase }: { rolloutId: string; onPhase: (phase: Phase) => void }) {
  const { host, screen } = useXterm({ canType: true, label: "Shell in the sandbox" });
  useEffect(() => {
    if (screen === null) return;
    const { terminal } = screen;
    let isOver = false;
    onPhase({ kind: "opening" });
    const shell = openShell(
      rolloutId,
      { columns: terminal.cols, rows: terminal.rows },
      {
        onOpened: (sandbox) => {
          onPhase({ kind: "open", sandbox });
          shell.resize({ columns: terminal.cols, rows: terminal.rows });
          terminal.focus();
        },
        onOutput: (bytes, shown) => terminal.write(bytes, shown),
        onEnded: (reason) => {
          if (isOver) return;
          terminal.options.disableStdin = true;
          terminal.blur();
          onPhase({ kind: "ended", reason });
        },
      },
    );
    const heard = [
      terminal.onData((text) => shell.type(text)),
      terminal.onBinary((text) => shell.typeBytes(Uint8Array.from(text, (c) => c.charCodeAt(0)))),
      terminal.onResize(({ cols, rows }) => shell.resize({ columns: cols, rows })),
    ];
    return () => {
      isOver = true;
      for (const one of heard) one.dispose();
      shell.close();
    };
  }, [screen, rolloutId, onPhase]);
  return <div ref={host} className={styles.screen} />;
}
