"use client";
import type { FindTracked } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { runHref } from "#shell/links.ts";
import { NotFoundPage } from "#shell/not-found-page.tsx";
import { useTRPC } from "#trpc/client.tsx";
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
  return found.data === null ? <NotFoundPage /> : null;
}
