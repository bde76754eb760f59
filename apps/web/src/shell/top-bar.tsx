"use client";
import { ActionIcon } from "@mantine/core";
import type { Crumb } from "#shell/crumbs.tsx";
import { Crumbs } from "#shell/crumbs.tsx";
import type { WatchedRun } from "#shell/describe-liveness.ts";
import { jump } from "#shell/jump-store.ts";
import { LiveDot } from "#shell/live-dot.tsx";
import { useToggleTheme } from "#shell/use-toggle-theme.ts";
import { Icon } from "#ui/icon.tsx";
import { Kbd } from "#ui/kbd.tsx";

export function TopBar({
  project,
  projects,
  crumbs,
  runs,
}: {
  project: string;
  projects: readonly string[];
  crumbs: readonly Crumb[];
  /** Those that should be sending now. */
  runs: readonly WatchedRun[];
}) {
  const { toggle } = useToggleTheme();
  return (
    <header className="topbar">
      <Crumbs project={project} projects={projects} crumbs={crumbs} />
      <div className="grow" />
      <button
        type="button"
        className="search hide-lg"
        style={{ width: 216 }}
        onClick={() => jump.open()}
      >
        <Icon name="search" size={14} />
        <span className="grow f12">Search or jump to</span>
        <Kbd>⌘K</Kbd>
      </button>
      <ActionIcon className="only-md" onClick={() => jump.open()} aria-label="Search or jump to">
        <Icon name="search" />
      </ActionIcon>
      <LiveDot runs={runs} />
      <ActionIcon onClick={toggle} aria-label="Switch theme" title="Switch theme (⇧D)">
        <Icon name="sun" />
      </ActionIcon>
    </header>
  );
}
