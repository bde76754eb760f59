"use client";
import { RECORDING_FILE } from "@liverl/contract/recording";
import type { TrajectoryView } from "@liverl/contract/views";
import { useEffect, useMemo, useRef } from "react";
import { parseCast } from "#terminals/parse-cast.ts";
import styles from "#terminals/terminals.module.css";
import { usePlayer } from "#terminals/use-player.ts";
import { type TerminalText, useTerminalText } from "#terminals/use-terminal-text.ts";
import { useXterm } from "#terminals/use-xterm.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";
import { formatDuration } from "#ui/format-duration.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";
import { Seg } from "#ui/seg.tsx";
import { SkeletonRows } from "#ui/skeleton.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

const SEEK_S = 5;
const SPEEDS = ["1", "4", "16"] as const;

/** What the agent's commands printed: as it comes while the trial goes on, by its own times afterwards. */
export function AgentTerminal({ view }: { view: TrajectoryView }) {
  const { rollout } = view;
  const { shown, error } = useTerminalText(rollout.rolloutId);
  if (shown === null)
    return error === null ? (
      <SkeletonRows rows={14} height={18} />
    ) : (
      <ErrorState
        what="The terminal could not be read"
        error={error}
        stillWorks="It is asked for again."
      />
    );
  if (shown.path === null) return <NoTerminal isLive={shown.isLive} />;
  return (
    <>
      {error !== null && (
        <p className="note warn" role="status">
          LiveRL does not answer now: this is from before.
        </p>
      )}
      {shown.path === RECORDING_FILE ? <Recording shown={shown} /> : <PlainOutput shown={shown} />}
    </>
  );
}

function NoTerminal({ isLive }: { isLive: boolean }) {
  return (
    <EmptyState title={isLive ? "No command has run yet" : "This trial has no terminal"}>
      {isLive
        ? "What the agent prints appears here as it comes."
        : "The agents mini, claude-code, codex, opencode and oracle leave one, in a sandbox. The embedded policy's tools print nothing."}
    </EmptyState>
  );
}

function Recording({ shown }: { shown: TerminalText }) {
  const cast = useMemo(() => parseCast(shown.text), [shown.text]);
  const { host, screen } = useXterm({
    canType: false,
    columns: cast.columns,
    label: "What the agent's commands printed",
  });
  const player = usePlayer(screen?.terminal ?? null, cast, shown.isLive);
  usePageKeys([
    ["space", player.toggle],
    ["ArrowLeft", () => shown.isLive || player.seek(player.at - SEEK_S)],
    ["ArrowRight", () => shown.isLive || player.seek(player.at + SEEK_S)],
  ]);
  const hasOutput = cast.events.some(([, code]) => code === "o");
  const commands = cast.events.filter(([, code]) => code === "m").length;
  return (
    <>
      <div className={styles.bar}>
        {shown.isLive ? (
          <span className="st">
            <StatusDot kind="live" /> Live
          </span>
        ) : (
          <>
            <button type="button" className={styles.play} onClick={player.toggle}>
              <Icon name={player.isPlaying ? "pause" : "play"} size={14} />
              {player.isPlaying ? "Pause" : "Replay"} <Kbd>␣</Kbd>
            </button>
            <input
              type="range"
              aria-label="Place in the recording"
              aria-valuetext={formatDuration(player.at)}
              min={0}
              max={cast.durationS}
              step="any"
              value={player.at}
              onChange={(event) => player.seek(Number(event.currentTarget.value))}
            />
            <span className="nowrap i2">
              {formatDuration(player.at)} of {formatDuration(cast.durationS)}
            </span>
            <Seg
              label="Speed"
              value={String(player.speed)}
              options={SPEEDS.map((value) => ({ value, label: `${value}×` }))}
              onChange={(speed) => player.setSpeed(Number(speed))}
            />
            <label className={styles.skip}>
              <input
                type="checkbox"
                checked={player.skipsWaits}
                onChange={(event) => player.setSkipsWaits(event.currentTarget.checked)}
              />
              Skip waits
            </label>
          </>
        )}
        <span className="end i3 nowrap">
          {commands} {commands === 1 ? "command" : "commands"}
        </span>
      </div>
      <Cut isCut={shown.isCut} path={shown.path} />
      <div className={styles.place}>
        <div ref={host} className={styles.screen} />
        {screen === null ? (
          <Waiting>Opening the terminal…</Waiting>
        ) : (
          shown.isLive && !hasOutput && <Waiting>Nothing is printed yet</Waiting>
        )}
      </div>
    </>
  );
}

/** On a screen that is still empty. */
function Waiting({ children }: { children: string }) {
  return (
    <p className={styles.waiting} role="status">
      {children}
    </p>
  );
}

/** Without times: all there is at once, and more as it comes. */
function PlainOutput({ shown }: { shown: TerminalText }) {
  const { host, screen } = useXterm({ canType: false, label: "What the agent printed" });
  const terminal = screen?.terminal ?? null;
  const drawn = useRef<{ terminal: typeof terminal; length: number }>({
    terminal: null,
    length: 0,
  });
  useEffect(() => {
    if (terminal === null) return;
    if (drawn.current.terminal !== terminal) drawn.current = { terminal, length: 0 };
    const more = shown.text.slice(drawn.current.length);
    drawn.current.length = shown.text.length;
    terminal.write(more.replace(/\r?\n/g, "\r\n"));
  }, [terminal, shown.text]);
  return (
    <>
      <div className={styles.bar}>
        {shown.isLive && (
          <span className="st">
            <StatusDot kind="live" /> Live
          </span>
        )}
        <span className="m i2">{shown.path}</span>
        <span className="end i3">As the agent printed it, without times</span>
      </div>
      <Cut isCut={shown.isCut} path={shown.path} />
      <div className={styles.place}>
        <div ref={host} className={styles.screen} />
        {screen === null ? (
          <Waiting>Opening the terminal…</Waiting>
        ) : (
          shown.isLive && shown.text === "" && <Waiting>Nothing is printed yet</Waiting>
        )}
      </div>
    </>
  );
}

function Cut({ isCut, path }: { isCut: boolean; path: string | null }) {
  if (!isCut) return null;
  return (
    <p className="note warn" role="status">
      The beginning is shown: the whole is in the trial's folder, {path}.
    </p>
  );
}
