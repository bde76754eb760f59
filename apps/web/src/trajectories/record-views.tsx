"use client";
import type { TrajectoryView } from "@liverl/contract/views";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { DiffLines } from "#trajectories/diff-lines.tsx";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import styles from "#trajectories/trajectories.module.css";
import { CopyButton } from "#ui/copy-button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { formatBytes, formatCount } from "#ui/format-number.ts";
import { Panel } from "#ui/panel.tsx";

/** What the attempt left changed in the repository. */
export function PatchView({ patch }: { patch: string | null }) {
  const lines = useMemo(() => (patch === null ? [] : parsePatch(patch)), [patch]);
  if (patch === null)
    return (
      <EmptyState title="No patch">The attempt ended before its changes could be read.</EmptyState>
    );
  if (patch.trim() === "")
    return <EmptyState title="Nothing changed">The repository is as the task gave it.</EmptyState>;
  const { added, removed } = countPatch(lines);
  return (
    <div className={`${styles.pane} scroll`}>
      <Panel
        title="Patch"
        note={
          <span className="m">
            <span className="ok-t">+{added}</span> <span className="bad-t">−{removed}</span>
          </span>
        }
        right={<CopyButton text={patch} what="the patch" />}
      >
        <DiffLines lines={lines} />
      </Panel>
    </div>
  );
}

const LINE = 18;

/** The record as it is on disk, and the other files of the trial. */
export function RawView({ view }: { view: TrajectoryView }) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => (view.raw === null ? [] : view.raw.text.split("\n")), [view.raw]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 30,
  });
  if (view.raw === null)
    return (
      <EmptyState title="No record yet">
        It is written when the session is frozen, at the end of the attempt.
      </EmptyState>
    );
  return (
    <>
      <div className={styles.files}>
        <b className="med m">{view.raw.path}</b>
        <CopyButton text={view.raw.text} what="the record" />
        <CopyButton text={view.raw.path} what="the path" />
        <span className="i3">{formatCount(lines.length)} lines</span>
        <span className="end" />
        {view.files.map((file) => (
          <span key={file.path} className="m">
            {file.path} <span className="i3">{formatBytes(file.sizeBytes)}</span>
          </span>
        ))}
      </div>
      <section
        ref={scroller}
        className={`${styles.rows} scroll`}
        aria-label="Raw record"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard
        tabIndex={0}
      >
        <div
          className={styles.raw}
          style={{ height: virtual.getTotalSize(), position: "relative" }}
        >
          {virtual.getVirtualItems().map((place) => (
            <div
              key={place.index}
              className={styles.rawLine}
              style={{
                position: "absolute",
                top: 0,
                left: 0,
                transform: `translateY(${place.start}px)`,
              }}
            >
              <i>{place.index + 1}</i>
              <span>{lines[place.index]}</span>
            </div>
          ))}
        </div>
      </section>
    </>
  );
}
