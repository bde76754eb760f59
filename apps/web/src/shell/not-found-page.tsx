"use client";
import { nearestName } from "@liverl/contract/filter/nearest-name";
import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import {
  alertsHref,
  clusterHref,
  launchHref,
  runsHref,
  sandboxesHref,
  sessionsHref,
  settingsHref,
  tasksHref,
} from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { ProjectFrame } from "#shell/project-frame.tsx";
import { useProject } from "#shell/use-route.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { KeyName } from "#ui/kbd.tsx";
import { Link } from "#ui/link.tsx";

const PAGES = {
  runs: runsHref,
  launch: launchHref,
  tasks: tasksHref,
  sessions: sessionsHref,
  cluster: clusterHref,
  sandboxes: sandboxesHref,
  alerts: alertsHref,
  settings: settingsHref,
} as const;

/** The page of a project whose name the path has, or nearly has: `/cluster`, `/p/quickstart/setings`. */
export function suggestPage(path: string): keyof typeof PAGES | null {
  const parts = path.split("/").filter((part) => part !== "");
  const named = parts[0] === "p" ? parts.slice(2) : parts;
  const names = Object.keys(PAGES) as (keyof typeof PAGES)[];
  for (const part of named) {
    const near = nearestName(part, names);
    const found = names.find((name) => name === near);
    if (found !== undefined) return found;
  }
  return null;
}

/** For a path that no page has, inside the frame of its project, or of the first project where the path names none. */
export function NotFoundPage() {
  const named = useProject();
  const system = useQuery(useTRPC().system.get.queryOptions(undefined, { enabled: named === "" }));
  if (named !== "") return <NotFoundBody project={named} />;
  if (system.isPending) return null;
  const project = system.data?.projects[0] ?? "quickstart";
  return (
    <ProjectFrame project={project}>
      <NotFoundBody project={project} />
    </ProjectFrame>
  );
}

function NotFoundBody({ project }: { project: string }) {
  const path = usePathname();
  const page = suggestPage(path);
  return (
    <PageFrame crumbs={[{ label: "Page not found" }]} title="Page not found">
      <EmptyState
        title="Page not found"
        action={
          <span className="row g12">
            {page !== null && page !== "runs" && (
              <Link className="lnk" href={PAGES[page](project)}>
                Go to {`${page[0]?.toUpperCase()}${page.slice(1)}`}
              </Link>
            )}
            <Link className="lnk" href={runsHref(project)}>
              All runs
            </Link>
          </span>
        }
      >
        Nothing is at <span className="m">{path}</span>. Check the address, or search with{" "}
        <KeyName name="⌘K" />.
      </EmptyState>
    </PageFrame>
  );
}
