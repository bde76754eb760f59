"use client";
import { ACTIVE_RUN_STATUSES } from "@liverl/contract/run";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { TrackedRunPage } from "#runs/tracked-run-page.tsx";
import { runHref, runsHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";

/** MLflow's client prints `/#/experiments/1/runs/<key>`: no server is told what stands after #. */
const MLFLOW_RUN = /^#\/experiments\/\d+\/runs\/([0-9a-f]+)/;

/** `/` has no page of its own: it opens the newest active run, else the first project, or the run that MLflow's client printed. */
export function HomePage() {
  const [mlflowKey, setMlflowKey] = useState<string | null | undefined>(undefined);
  useEffect(() => setMlflowKey(MLFLOW_RUN.exec(window.location.hash)?.[1] ?? null), []);
  if (mlflowKey === undefined) return null;
  return mlflowKey === null ? (
    <ActiveRunOrProject />
  ) : (
    <TrackedRunPage source="mlflow" trackerKey={mlflowKey} />
  );
}

function ActiveRunOrProject() {
  const router = useRouter();
  const trpc = useTRPC();
  const system = useQuery(trpc.system.get.queryOptions());
  const active = useQuery(
    trpc.run.list.queryOptions({ status: [...ACTIVE_RUN_STATUSES], limit: 1 }),
  );
  const project = system.data === undefined ? null : (system.data.projects[0] ?? "quickstart");
  const run = active.data?.runs[0];
  useEffect(() => {
    if (run !== undefined) router.replace(runHref(run.project, run.id));
    else if (project !== null && !active.isPending) router.replace(runsHref(project));
  }, [run, project, active.isPending, router]);
  if (!system.isError) return null;
  return (
    <main style={{ height: "100vh", display: "grid" }}>
      <ErrorState
        what="Cannot reach LiveRL"
        error={system.error}
        onRetry={() => void system.refetch()}
      />
    </main>
  );
}
