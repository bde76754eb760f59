import { launchHref, sessionsHref } from "#shell/links.ts";
import { EmptyState } from "#ui/empty-state.tsx";
import { Link } from "#ui/link.tsx";

/** In place of what an attached run cannot have: says so, and how to get it. */
export function MetricsOnly({
  project,
  what,
}: {
  project: string;
  what: "rollouts" | "checkpoints" | "tasks";
}) {
  return (
    <EmptyState
      title="This run sends metrics only"
      action={
        <span className="row g12">
          <Link className="lnk" href={launchHref(project)}>
            Launch with verl
          </Link>
          {what !== "checkpoints" && (
            <Link className="lnk" href={sessionsHref(project)}>
              Open a session
            </Link>
          )}
        </span>
      }
    >
      {what === "checkpoints"
        ? "Its trainer keeps its own checkpoints. To list, resume and fork checkpoints here, launch the training from LiveRL: Paste launch script takes its values."
        : `LiveRL records ${what} when it launches the training (Paste launch script takes its values), or when your agents call the model through a session URL.`}
    </EmptyState>
  );
}
