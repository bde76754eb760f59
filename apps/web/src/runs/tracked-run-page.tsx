"use client";
import type { FindTracked } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { runHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { EmptyState } from "#ui/empty-state.tsx";
import { ErrorState } from "#ui/error-state.tsx";

/** Leads from the address that a tracker's client prints to the run's own. */
export function TrackedRunPage({
  source,
  trackerKey,
}: {
  source: FindTracked["source"];
  trackerKey: string;
}) {
  const router = useRouter();
  const found = useQuery(useTRPC().run.findTracked.queryOptions({ source, key: trackerKey }));
  useEffect(() => {
    if (found.data) router.replace(runHref(found.data.project, found.data.runId));
  }, [found.data, router]);
  if (found.isError)
    return (
      <main style={{ height: "100vh", display: "grid" }}>
        <ErrorState
          what="The run could not be looked for"
          error={found.error}
          onRetry={() => void found.refetch()}
        />
      </main>
    );
  if (found.data !== null) return null;
  return (
    <main style={{ height: "100vh", display: "grid" }}>
      <EmptyState
        title="There is no such run"
        action={
          // Loads the page anew: what stands after # in its address is no longer asked for then.
          <a className="lnk" href="/">
            All runs
          </a>
        }
      >
        None of that id was logged here, or it was deleted.
      </EmptyState>
    </main>
  );
}
