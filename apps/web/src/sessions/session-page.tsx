"use client";
import type { SessionOutline } from "@liverl/contract/session-view";
import { TREE_SHORTCUTS } from "#sessions/session-tree.tsx";
import { SessionView } from "#sessions/session-view.tsx";
import { runHref, sessionsHref, trajectoryHref } from "#shell/links.ts";
import { PageFrame } from "#shell/page-frame.tsx";
import { useProject, useRoutePart } from "#shell/use-route.ts";
import { CopyButton } from "#ui/copy-button.tsx";
import { Link } from "#ui/link.tsx";

/** One session of an outside agent. */
export function SessionPage() {
  const project = useProject();
  const sessionId = useRoutePart("session");
  return (
    <PageFrame
      nav="sessions"
      crumbs={[{ label: "Sessions", href: sessionsHref(project) }, { label: sessionId }]}
      shortcuts={TREE_SHORTCUTS}
    >
      <SessionView sessionId={sessionId} what="One session">
        {(session) => <Origin session={session} project={project} />}
      </SessionView>
    </PageFrame>
  );
}

function Origin({ session, project }: { session: SessionOutline; project: string }) {
  const { runId, rolloutId, taskId, sessionId } = session;
  return (
    <>
      {taskId !== null && <span className="tag m trunc">{taskId}</span>}
      {runId !== null && (
        <Link className="lnk" href={runHref(project, runId)} title="The run whose engines answer">
          {runId}
        </Link>
      )}
      {runId !== null && rolloutId !== null && (
        <Link className="lnk" href={trajectoryHref(project, runId, rolloutId)}>
          rollout
        </Link>
      )}
      <CopyButton text={sessionId} what="the session's id" />
    </>
  );
}
