"use client";
import type { RunStatus } from "@liverl/contract/run";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { FrameContext, NO_FRAME } from "#shell/frame-context.ts";
import { Jump } from "#shell/jump.tsx";
import { launchHref } from "#shell/links.ts";
import { Rail } from "#shell/rail.tsx";
import { ShortcutSheet } from "#shell/shortcut-sheet.tsx";
import { SystemBanner } from "#shell/system-banner.tsx";
import { TopBar } from "#shell/top-bar.tsx";
import { useProject } from "#shell/use-route.ts";
import { useToggleTheme } from "#shell/use-toggle-theme.ts";
import { useTRPC } from "#trpc/client.tsx";
import { usePageKeys } from "#ui/use-page-keys.ts";

/** Events tell of alerts at once; this is for silences that end. */
const ALERTS_EVERY_MS = 30_000;
const HEALTH_EVERY_MS = 10_000;
const ACTIVE: RunStatus[] = ["booting", "running", "stopping"];
const MOST = 1_000;

/**
 * Rail, top bar and ⌘K around every page of a project. It stays mounted when the page changes, so that a click loads only the new page.
 * The project comes from the path, unless the path has none.
 */
export function ProjectFrame({
  children,
  project: fallback,
}: {
  children: ReactNode;
  project?: string;
}) {
  const project = useProject() || (fallback ?? "");
  const trpc = useTRPC();
  const router = useRouter();
  const [frame, setFrame] = useState(NO_FRAME);
  const [isSheetOpen, sheet] = useDisclosure(false);
  const { toggle } = useToggleTheme();
  const active = useQuery(trpc.run.list.queryOptions({ project, status: ACTIVE, limit: MOST })).data
    ?.runs;
  const system = useQuery(
    trpc.system.get.queryOptions(undefined, {
      staleTime: 10_000,
      refetchInterval: HEALTH_EVERY_MS,
    }),
  ).data;
  const alerts = useQuery(
    trpc.alert.list.queryOptions({ project }, { refetchInterval: ALERTS_EVERY_MS }),
  ).data;
  const { nav, crumbs, runId, head, shortcuts, narrowRail, acts } = frame;
  const watched = active?.filter(({ id }) => runId === null || id === runId) ?? [];

  useHotkeys([
    ["shift+D", toggle],
    ["shift+?", sheet.toggle],
  ]);
  usePageKeys([["N", () => router.push(launchHref(project))]]);

  return (
    <div className={narrowRail ? "app min" : "app"}>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <Rail
        nav={nav}
        project={project}
        active={active?.length ?? null}
        alerts={alerts?.open ?? null}
        onShortcuts={sheet.open}
      />
      <main className="main">
        <TopBar
          project={project}
          projects={system?.projects ?? []}
          crumbs={crumbs}
          runs={watched}
        />
        <SystemBanner system={system} />
        {head}
        <FrameContext value={setFrame}>{children}</FrameContext>
      </main>
      <ShortcutSheet isOpen={isSheetOpen} onClose={sheet.close} page={shortcuts} />
      <Jump project={project} runId={runId} acts={acts} />
    </div>
  );
}
