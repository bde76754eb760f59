/** Paths of the pages. Ids and names are encoded here and nowhere else. */
export function runsHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/runs`;
}

/** Several runs over each other. */
export function compareHref(project: string, runIds: readonly string[]): string {
  return `/p/${encodeURIComponent(project)}/compare?${new URLSearchParams({ runs: runIds.join(",") })}`;
}

export function launchHref(project: string, query: Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `/p/${encodeURIComponent(project)}/launch${text === "" ? "" : `?${text}`}`;
}

/** Sessions of outside agents. */
export function sessionsHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/sessions`;
}

export function sessionHref(project: string, sessionId: string): string {
  return `${sessionsHref(project)}/${encodeURIComponent(sessionId)}`;
}

export function clusterHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/cluster`;
}

/** Trials in sandboxes. */
export function sandboxesHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/sandboxes`;
}

export function alertsHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/alerts`;
}

/** What a project decides for itself. */
export function settingsHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/settings`;
}

/** `tail` is what stands after the run: `steps/12`, `logs?t=…`. */
export function runHref(project: string, runId: string, tail = ""): string {
  return `${runsHref(project)}/${encodeURIComponent(runId)}${tail === "" ? "" : `/${tail}`}`;
}

/** `latest` waits for the first step where there is none yet. */
export function stepHref(
  project: string,
  runId: string,
  step: number | "latest",
  mode: "train" | "eval" = "train",
): string {
  return runHref(project, runId, `steps/${step}${mode === "eval" ? "?mode=eval" : ""}`);
}

export function groupHref(project: string, runId: string, groupId: string): string {
  return runHref(project, runId, `groups/${encodeURIComponent(groupId)}`);
}

export function trajectoryHref(project: string, runId: string, rolloutId: string): string {
  return runHref(project, runId, `traj/${encodeURIComponent(rolloutId)}`);
}

interface TurnOfRollout {
  rolloutId: string;
  segmentId: number;
  nodeId: number;
  turn: number;
}

/** A turn in the inspector. */
export function turnHref(
  project: string,
  runId: string,
  { rolloutId, segmentId, nodeId }: TurnOfRollout,
): string {
  const query = new URLSearchParams({ seg: String(segmentId), turn: String(nodeId) });
  return `${trajectoryHref(project, runId, rolloutId)}?${query}`;
}

/** The same, about to be sampled again. */
export function againHref(project: string, runId: string, turn: TurnOfRollout): string {
  return `${turnHref(project, runId, turn)}&again=${turn.turn}`;
}

/** A turn that was sampled again. */
export function replayHref(project: string, runId: string, replayId: string): string {
  return runHref(project, runId, `replays/${encodeURIComponent(replayId)}`);
}

/** Tasks over the runs of a project. */
export function tasksHref(project: string): string {
  return `/p/${encodeURIComponent(project)}/tasks`;
}

export function taskHref(project: string, task: string): string {
  return `${tasksHref(project)}/${encodeURIComponent(task)}`;
}
