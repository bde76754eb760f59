"use client";
import { useMemo } from "react";
import { DiffLines } from "#trajectories/diff-lines.tsx";
import { countPatch, parsePatch } from "#trajectories/parse-patch.ts";
import styles from "#trajectories/trajectories.module.css";
import { CopyButton } from "#ui/copy-button.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { Panel } from "#ui/panel.tsx";

/** What the attempt left changed in the repository. */
export function PatchView({ patch }: { patch: string | null }) {
  const lines = useMemo(() => (patch === null ? [] : parsePatch(patch)), [patch]);
  if (patch === null)
    return (
      <EmptyState title="No patch">
        The task's folder is no git repository, or the attempt ended before its changes could be
        read.
      </EmptyState>
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
