import type { Note, NotesOf } from "#api/note.ts";
import { LAUNCH_NOTES } from "#api/notes/launch-notes.ts";
import {
  ALERT_NOTES,
  FILTER_NOTES,
  PRICE_NOTES,
  TASK_NOTES,
  THRESHOLD_NOTES,
} from "#api/notes/project-notes.ts";
import { REPLAY_NOTES } from "#api/notes/replay-notes.ts";
import { RUN_NOTES } from "#api/notes/run-notes.ts";
import {
  GROUP_NOTES,
  ROLLOUT_NOTES,
  SESSION_NOTES,
  STEP_NOTES,
  TRAJECTORY_NOTES,
} from "#api/notes/trial-notes.ts";
import {
  BROWSER_NOTES,
  CHECKPOINT_NOTES,
  CLUSTER_NOTES,
  LOG_NOTES,
  METRIC_NOTES,
  SANDBOX_NOTES,
  SYSTEM_NOTES,
  TOKEN_NOTES,
  VIEW_NOTES,
} from "#api/notes/view-notes.ts";
import type { AppRouter } from "#router.ts";

type Noun = Exclude<keyof AppRouter["_def"]["record"], symbol>;

const NOTES: { [N in Noun]?: NotesOf<N> } = {
  run: RUN_NOTES,
  launch: LAUNCH_NOTES,
  metric: METRIC_NOTES,
  view: VIEW_NOTES,
  step: STEP_NOTES,
  rollout: ROLLOUT_NOTES,
  group: GROUP_NOTES,
  trajectory: TRAJECTORY_NOTES,
  replay: REPLAY_NOTES,
  session: SESSION_NOTES,
  checkpoint: CHECKPOINT_NOTES,
  cluster: CLUSTER_NOTES,
  sandbox: SANDBOX_NOTES,
  log: LOG_NOTES,
  system: SYSTEM_NOTES,
  token: TOKEN_NOTES,
  browser: BROWSER_NOTES,
  alert: ALERT_NOTES,
  threshold: THRESHOLD_NOTES,
  price: PRICE_NOTES,
  task: TASK_NOTES,
  filter: FILTER_NOTES,
};

/** What is said of `run.get`, say; null where nothing is. */
export function findNote(procedure: string): Note | null {
  const [noun = "", verb = ""] = procedure.split(".");
  const notes: Record<string, Record<string, Note> | undefined> = NOTES;
  return notes[noun]?.[verb] ?? null;
}
