import { ReplayChoices, ReplayRow, ReplayView } from "@liverl/contract/replay";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";
import { Done } from "#api/notes/short-answers.ts";

export const REPLAY_NOTES: NotesOf<"replay"> = {
  choices: {
    about:
      "How a turn of a rollout was sampled, the checkpoints it can be sampled again with, and its earlier replays.",
    answer: ReplayChoices,
  },
  start: {
    about:
      "Samples the model call of a turn again, n times, from its recorded token ids: a group of its own that never trains. Poll `replay.get`.",
    answer: z.object({ id: z.string() }),
  },
  get: {
    about: "A replay: the original turn, and every completion so far with ids and log-probs.",
    answer: ReplayView,
  },
  list: {
    about: "The replays of a rollout, newest first.",
    answer: z.object({ replays: z.array(ReplayRow) }),
  },
  cancel: { about: "Ends a replay; completions that are there stay.", answer: Done },
};
