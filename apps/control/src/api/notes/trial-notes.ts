import { TerminalPart } from "@liverl/contract/recording";
import { FlatSegment } from "@liverl/contract/rollout";
import { CallDetail, ForkView, SessionOutline, SessionRow } from "@liverl/contract/session-view";
import { TrainedPage } from "@liverl/contract/trained-view";
import { RolloutActs, TokenPage, TurnMatch, TurnView } from "@liverl/contract/turn-view";
import {
  GroupRow,
  OpenedTrajectory,
  RecordedAdvantage,
  RolloutRow,
  StepView,
  TrajectoryView,
} from "@liverl/contract/views";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";
import { Done } from "#api/notes/short-answers.ts";
import { Atif } from "#trajectories/export-trajectory.ts";

export const STEP_NOTES: NotesOf<"step"> = {
  get: {
    about: "One step: headline numbers, every metric, groups with rollouts.",
    answer: StepView,
  },
  list: {
    about: "Steps that have rollouts of the mode, or that the trainer logged.",
    answer: z.object({ steps: z.array(z.number().int()) }),
  },
};

export const ROLLOUT_NOTES: NotesOf<"rollout"> = {
  list: {
    about:
      "Rollouts that the filter `f` lets through, sorted by `sort`; `cursor` goes on where a page ended.",
    answer: z.object({
      rollouts: z.array(RolloutRow),
      nextCursor: z.string().nullable(),
      total: z.number().int().nullable(),
      hasMoreThanTotal: z.boolean(),
    }),
  },
  values: {
    about: "Tasks, tags or errors of a run's rollouts that have a text, for completing a filter.",
    answer: z.object({ values: z.array(z.string()) }),
  },
  tag: {
    about: "Adds tags to rollouts, or takes them away.",
    answer: z.object({ changed: z.number().int() }),
  },
  cancel: {
    about:
      "Ends a rollout that runs or waits as cancelled, without a reward: for one that is stuck.",
    answer: Done,
  },
  note: { about: "Writes the note of a rollout; an empty one deletes it.", answer: Done },
};

export const GROUP_NOTES: NotesOf<"group"> = {
  get: {
    about: "One group with all its rollouts and its neighbours of the step.",
    answer: z.object({
      group: GroupRow,
      step: z.number().int().nullable(),
      askedStep: z.number().int().nullable(),
      previous: z.string().nullable(),
      next: z.string().nullable(),
      advantages: z.record(z.string(), RecordedAdvantage),
      patchLines: z.record(z.string(), z.number().int()),
    }),
  },
};

export const TRAJECTORY_NOTES: NotesOf<"trajectory"> = {
  get: {
    about:
      "One rollout: the turns of a segment in outline, its timeline, patch, verdict and files.",
    answer: TrajectoryView,
  },
  open: {
    about: "One rollout with the first of its turns, or those from a turn on.",
    answer: OpenedTrajectory,
  },
  turn: { about: "One turn with its text and a page of its tokens.", answer: TurnView },
  tokens: { about: "A page of a segment's tokens, from a place on.", answer: TokenPage },
  trained: {
    about:
      "What the trainer computed of a range of a segment's tokens: its log-probs, entropy, ratio, advantage.",
    answer: TrainedPage,
  },
  find: { about: "The turns of a segment that have a text.", answer: z.array(TurnMatch) },
  acts: {
    about: "Which tool calls of a segment were answered, and with what outcome.",
    answer: RolloutActs,
  },
  file: {
    about: "A file of a trial's folder as text; cut where it is longer than 4 MiB.",
    answer: z.object({ path: z.string(), text: z.string() }),
  },
  terminal: {
    about: "What a trial's terminal shows from a byte on, 256 KiB at most.",
    answer: TerminalPart,
  },
  flat: {
    about:
      "The segments of a rollout, or of a session, as the trainer gets them: lists of equal length.",
    answer: z.object({ segments: z.array(FlatSegment) }),
  },
  atif: {
    about: "A rollout, or a session, in Harbor's trajectory format with token ids and log-probs.",
    answer: Atif,
  },
};

export const SESSION_NOTES: NotesOf<"session"> = {
  list: {
    about: "Sessions that outside agents opened on runs of a project, newest first.",
    answer: z.object({ sessions: z.array(SessionRow) }),
  },
  get: {
    about: "A session's tree, calls and segments without their tokens, live or finished.",
    answer: SessionOutline,
  },
  fork: { about: "Where a call left the older path that is most like it.", answer: ForkView },
  exchange: { about: "One call with what its client sent and got.", answer: CallDetail },
};
