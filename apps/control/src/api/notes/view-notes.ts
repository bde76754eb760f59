import { ApiToken, CreatedToken } from "@liverl/contract/api-token";
import { SignedInBrowser } from "@liverl/contract/browser";
import { ClusterView, known, SandboxesView } from "@liverl/contract/cluster";
import { Distribution } from "@liverl/contract/distribution";
import { MetricFrame, MetricKey, SeriesAnswer, TokensBySteps } from "@liverl/contract/metric";
import { SavedView, ShippedView } from "@liverl/contract/metrics-view";
import { MetricNameView } from "@liverl/contract/trainer-names";
import { CheckpointRow, LogLine, LogPage } from "@liverl/contract/views";
import { z } from "zod";
import type { NotesOf } from "#api/note.ts";
import { Done } from "#api/notes/short-answers.ts";

export const METRIC_NOTES: NotesOf<"metric"> = {
  keys: {
    about: "Every key that a run has logged, with its newest value.",
    answer: z.object({ keys: z.array(MetricKey) }),
  },
  series: {
    about: "Series in buckets: last, min, max and number of points.",
    answer: SeriesAnswer,
  },
  distribution: {
    about: "How a value of the training rollouts spreads, step by step.",
    answer: Distribution,
  },
  tokens: { about: "Tokens trained on up to and with each step.", answer: TokensBySteps },
  names: {
    about:
      "Every judged metric with the key that the project chose for it, and the names that are known.",
    answer: z.object({ names: z.array(MetricNameView) }),
  },
  setName: { about: 'Judges runs of a project by this key: "this is my reward".', answer: Done },
  resetName: { about: "Takes a chosen key back: the known names count again.", answer: Done },
  live: { about: "New and changed points after a cursor of `metric.series`.", answer: MetricFrame },
};

export const VIEW_NOTES: NotesOf<"view"> = {
  list: {
    about: "Views of the metrics page: those of the run's preset, and those that people saved.",
    answer: z.object({ shipped: z.array(ShippedView), saved: z.array(SavedView) }),
  },
  save: { about: "Saves a view of the metrics page for all runs of a project.", answer: SavedView },
  delete: { about: "Deletes a saved view.", answer: Done, isDestructive: true },
};

export const CHECKPOINT_NOTES: NotesOf<"checkpoint"> = {
  list: {
    about: "A run's checkpoints, newest first, with the acts that are possible now.",
    answer: z.object({ checkpoints: z.array(CheckpointRow), freeBytes: z.number() }),
  },
  merge: {
    about: "Queues the merge of a checkpoint's shards into one model in Hugging Face form.",
    answer: z.object({ status: z.enum(["queued", "done"]) }),
  },
  cancelMerge: {
    about: "Ends a merge and deletes what it wrote.",
    answer: Done,
    isDestructive: true,
  },
};

export const CLUSTER_NOTES: NotesOf<"cluster"> = {
  get: {
    about: "Engines, GPUs, Ray, processes and this host, as they are now.",
    answer: ClusterView,
  },
};

export const SANDBOX_NOTES: NotesOf<"sandbox"> = {
  list: {
    about: "Trials in sandboxes, images on their way, joined runners, and recent errors.",
    answer: known(SandboxesView),
  },
};

export const LOG_NOTES: NotesOf<"log"> = {
  sources: {
    about: "The logs of a run with their sizes in bytes.",
    answer: z.object({
      sources: z.array(
        z.object({
          id: z.string(),
          label: z.string(),
          isShared: z.boolean(),
          sizeBytes: z.number().int(),
        }),
      ),
    }),
  },
  read: { about: "Lines of a log by byte offset; without one, those at its end.", answer: LogPage },
  tail: {
    about: "New lines of a log from a byte offset on, as they are written.",
    answer: z.object({ lines: z.array(LogLine), end: z.number().int() }),
  },
};

export const SYSTEM_NOTES: NotesOf<"system"> = {
  get: {
    about:
      "Version, projects, whether database, runner and proxy are up, and what is wrong with the disk.",
    answer: z.object({
      version: z.string(),
      dataDir: z.string(),
      projects: z.array(z.string()),
      agentUrl: z.string().nullable(),
      dataPlane: z.object({
        runner: z.enum(["up", "down"]),
        proxy: z.enum(["up", "down"]),
        reason: z.string().nullable(),
      }),
      disk: z.object({ fault: z.enum(["full", "read-only"]), text: z.string() }).nullable(),
      database: z.enum(["up", "down"]),
    }),
  },
};

export const TOKEN_NOTES: NotesOf<"token"> = {
  create: {
    about: "Makes an API token. It is told in this answer and never again.",
    answer: CreatedToken,
  },
  list: { about: "API tokens, newest first.", answer: z.object({ tokens: z.array(ApiToken) }) },
  revoke: {
    about: "Deletes an API token: it opens nothing any more.",
    answer: Done,
    isDestructive: true,
  },
};

export const BROWSER_NOTES: NotesOf<"browser"> = {
  list: {
    about: "Browsers that are signed in, newest first.",
    answer: z.object({ browsers: z.array(SignedInBrowser) }),
  },
  revoke: { about: "Signs a browser out.", answer: Done, isDestructive: true },
  revokeAll: {
    about: "Signs every browser out.",
    answer: z.object({ count: z.number().int() }),
    isDestructive: true,
  },
  signOut: { about: "Signs out the browser that asks.", answer: Done, isDestructive: true },
};
