"use client";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useRef } from "react";
import type { Crumb } from "#shell/crumbs.tsx";
import { Jump, type JumpAct } from "#shell/jump.tsx";
import { launchHref } from "#shell/links.ts";
import { type Nav, Rail } from "#shell/rail.tsx";
import { ShortcutSheet } from "#shell/shortcut-sheet.tsx";
import type { Shortcut } from "#shell/shortcuts.ts";
import { TopBar } from "#shell/top-bar.tsx";
import { useScrollMemory } from "#shell/use-scroll-memory.ts";
import { useToggleTheme } from "#shell/use-toggle-theme.ts";
import { useTRPC } from "#trpc/client.tsx";

/** Events tell of alerts at once; this is for silences that end. */
const ALERTS_EVERY_MS = 30_000;
const ACTIVE = new Set(["booting", "running", "stopping"]);

/**
 * Rail, top bar and the scrolling body of every page.
 * `head` stands above the body and does not scroll; `fills` gives the body no scroll of its own.
 */
export function PageFrame({
  project,
  nav = null,
  crumbs,
  title,
  runId = null,
  head,
  children,
  shortcuts = [],
  fills = false,
  narrowRail = false,
  acts = [],
}: {
  project: string;
  nav?: Nav | null;
  crumbs: readonly Crumb[];
  /** Of the browser's tab; the crumbs, last first, when left out. */
  title?: string;
  runId?: string | null;
  head?: ReactNode;
  children: ReactNode;
  shortcuts?: readonly Shortcut[];
  fills?: boolean;
  narrowRail?: boolean;
  /** What ⌘K can do on this page. */
  acts?: readonly JumpAct[];
}) {
  const trpc = useTRPC();
  const router = useRouter();
  const [isSheetOpen, sheet] = useDisclosure(false);
  const body = useRef<HTMLDivElement>(null);
  useScrollMemory(body, "page");
  const { toggle } = useToggleTheme();
  const runs = useQuery(trpc.run.list.queryOptions({ project })).data?.runs;
  const system = useQuery(trpc.system.get.queryOptions(undefined, { staleTime: 30_000 })).data;
  const alerts = useQuery(
    trpc.alert.list.queryOptions({ project }, { refetchInterval: ALERTS_EVERY_MS }),
  ).data;
  const active = runs?.filter((run) => ACTIVE.has(run.status)) ?? [];
  const watched = runId === null ? active : active.filter(({ id }) => id === runId);
  const pointTimes = watched.flatMap(({ lastPointAt }) => lastPointAt ?? []);

  useHotkeys([
    ["shift+D", toggle],
    ["shift+?", sheet.toggle],
    ["N", () => router.push(launchHref(project))],
  ]);

  const shown =
    title ??
    crumbs
      .map(({ label }) => label)
      .reverse()
      .join(" · ");
  return (
    <div className={narrowRail ? "app min" : "app"}>
      {/* A change of the URL takes what effects wrote; React keeps this one. */}
      <title>{`${shown} · LiveRL`}</title>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <Rail
        nav={nav}
        project={project}
        active={runs === undefined ? null : active.length}
        alerts={alerts?.open ?? null}
        onShortcuts={sheet.open}
      />
      <main className="main">
        <TopBar
          project={project}
          projects={system?.projects ?? []}
          crumbs={crumbs}
          isActive={watched.length > 0}
          newestMs={pointTimes.length === 0 ? null : Math.max(...pointTimes.map(Date.parse))}
        />
        {head}
        <div
          id="page"
          ref={body}
          className="body scroll"
          style={fills ? { overflow: "hidden" } : undefined}
          tabIndex={-1}
        >
          {children}
        </div>
      </main>
      <ShortcutSheet isOpen={isSheetOpen} onClose={sheet.close} page={shortcuts} />
      <Jump project={project} runs={runs ?? []} runId={runId} acts={acts} />
    </div>
  );
}
