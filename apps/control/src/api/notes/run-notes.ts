import { CleanedRun, CleanPlan } from "@liverl/contract/clean-run";
import { DeletedRun } from "@liverl/contract/delete-run";
import { RunPage } from "@liverl/contract/list-runs";
import { RunDetail, RunEvent, RunSummary, Verdict } from "@liverl/contract/run";
import { RunConfig } from "@liverl/contract/run-config";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";
import { Done, Made } from "#api/notes/short-answers.ts";

export const RUN_NOTES: NotesOf<"run"> = {
  list: {
    about:
      "Runs that the filter `f` lets through, newest first unless `sort` says otherwise, `limit` at most; `total` and `counts` tell of all.",
    answer: RunPage,
  },
  get: { about: "One run with its verdict and the acts that are possible now.", answer: RunDetail },
  verdict: {
    about: "What the run's numbers say: a word, a sentence, and advisories with their evidence.",
    answer: Verdict,
  },
  config: {
    about:
      "A run's configuration with the origin of each value, set against another run (`vs`) or what it began as.",
    answer: RunConfig,
  },
  values: {
    about:
      "Names, tags, presets, algorithms or modes of a project's runs, for completing a filter.",
    answer: z.object({ values: z.array(z.string()) }),
  },
  launch: {
    about:
      "Queues a run. The same idempotencyKey with the same spec answers with the run that it made.",
    answer: Made,
  },
  stop: {
    about:
      "Stops a run after its step, at once (`now`), or without the word of its cluster (`abandon`).",
    answer: Done,
    isDestructive: true,
  },
  checkpoint: { about: "Asks for a checkpoint at the end of the current step.", answer: Done },
  clean: {
    about:
      "Ends what is left of an ended run, and on request deletes its logs and trials' folders, and removes its pods.",
    answer: CleanedRun,
    isDestructive: true,
  },
  planClean: { about: "What a clean of an ended run would find.", answer: CleanPlan },
  delete: {
    about:
      "Deletes a run that has ended: its rows, metrics, rollouts, replays, trials and checkpoints. There is no way back.",
    answer: DeletedRun,
    isDestructive: true,
  },
  resume: {
    about: "Goes on with an ended run from its newest complete checkpoint, or from that of `step`.",
    answer: Done,
  },
  attach: {
    about: "Follows a metrics file or a folder of TensorBoard's as a run that is only watched.",
    answer: Made,
  },
  events: {
    about: "The newest events of a run, oldest first.",
    answer: z.object({ events: z.array(RunEvent) }),
  },
  annotate: { about: "Writes a note at a step; all charts show it.", answer: Done },
  deleteAnnotation: {
    about: "Deletes a note that was written at a step.",
    answer: Done,
    isDestructive: true,
  },
  tag: {
    about: "Adds tags to runs, or takes them away.",
    answer: z.object({ changed: z.number().int() }),
  },
  findTracked: {
    about: "The run that a tracker's client has printed a link to; null where it logged none such.",
    answer: z.object({ project: z.string(), runId: z.string() }).nullable(),
  },
  live: {
    about: "Summaries of a run, or of all, as they change, and events as they happen.",
    answer: z.union([
      z.object({ kind: z.literal("run"), run: RunSummary }),
      z.object({ kind: z.literal("event"), runId: z.string(), event: RunEvent }),
    ]),
  },
};
