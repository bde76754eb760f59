"use client";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { TrackedRunPage } from "#runs/tracked-run-page.tsx";
import { runsHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";

/** MLflow's client prints `/#/experiments/1/runs/<key>`: no server is told what stands after #. */
const MLFLOW_RUN = /^#\/experiments\/\d+\/runs\/([0-9a-f]+)/;

/** `/` has no page of its own: it goes to the first project, or to the run that MLflow's client has printed. */
export function HomePage() {
  const [mlflowKey, setMlflowKey] = useState<string | null | undefined>(undefined);
  useEffect(() => setMlflowKey(MLFLOW_RUN.exec(window.location.hash)?.[1] ?? null), []);
  if (mlflowKey === undefined) return null;
  return mlflowKey === null ? (
    <FirstProject />
  ) : (
    <TrackedRunPage source="mlflow" trackerKey={mlflowKey} />
  );
}

function FirstProject() {
  const router = useRouter();
  const system = useQuery(useTRPC().system.get.queryOptions());
  const project = system.data === undefined ? null : (system.data.projects[0] ?? "quickstart");
  useEffect(() => {
    if (project !== null) router.replace(runsHref(project));
  }, [project, router]);
  if (!system.isError) return null;
  return (
    <main style={{ height: "100vh", display: "grid" }}>
      <ErrorState
        what="LiveRL could not be reached"
        error={system.error}
        onRetry={() => void system.refetch()}
      />
    </main>
  );
}
