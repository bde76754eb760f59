/** Paths of the pages. Ids and names are encoded here and nowhere else. */
export function runsHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/runs`;
}

export function launchHref(project: string, query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `/p/${encodeURIComponent(project)}/launch${text === "" ? "" : `?${text}`}`;
}

/** `tail` is what stands after the run: `steps/12`, `logs?t=…`. */
export function runHref(project: string, runId: string, tail = ""): string {
  return `${runsHref(project)}/${encodeURIComponent(runId)}${tail === "" ? "" : `/${tail}`}`;
}

export function stepHref(project: string, runId: string, step: number): string {
  return runHref(project, runId, `steps/${step}`);
}

export function groupHref(project: string, runId: string, groupId: string): string {
  return runHref(project, runId, `groups/${encodeURIComponent(groupId)}`);
}

export function trajectoryHref(project: string, runId: string, rolloutId: string): string {
  return runHref(project, runId, `traj/${encodeURIComponent(rolloutId)}`);
}
