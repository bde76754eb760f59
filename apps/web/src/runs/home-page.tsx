"use client";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { runsHref } from "#shell/links.ts";
import { useTRPC } from "#trpc/client.tsx";
import { ErrorState } from "#ui/error-state.tsx";

/** `/` has no page of its own: it goes to the first project. */
export function HomePage() {
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
