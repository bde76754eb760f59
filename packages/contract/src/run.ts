import { z } from "zod";
import { RunCost, RunSpent } from "#cost.ts";
import { Count32 } from "#int32.ts";
import { UntrainedSum } from "#untrained-tokens.ts";

/**
 * `stopped`: ended on request after a finished step, with its checkpoint. `cancelled`: killed, or ended before it began.
 */
export const RunStatus = z.enum([
  "draft",
  "queued",
  "booting",
  "running",
  "stopping",
  "succeeded",
  "stopped",
  "failed",
  "cancelled",
  /** An attached run whose trainer is gone without saying how it ended. */
  "ended",
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** What runs a run; `attached` ones are only watched. */
export const RunDriver = z.enum(["embedded", "local-verl", "ray-job", "kuberay", "attached"]);
export type RunDriver = z.infer<typeof RunDriver>;
export const VERL_DRIVERS = ["local-verl", "ray-job", "kuberay"] as const satisfies RunDriver[];

export function isVerlDriver(driver: string): boolean {
  return (VERL_DRIVERS as readonly string[]).includes(driver);
}

/** Where a run may go next. A stopped run that has a checkpoint may be queued again: that is a resume. */
export const RUN_MOVES = {
  draft: ["queued", "cancelled"],
  queued: ["booting", "failed", "cancelled"],
  booting: ["running", "stopping", "stopped", "failed", "cancelled"],
  running: ["stopping", "succeeded", "stopped", "failed", "cancelled"],
  stopping: ["succeeded", "stopped", "failed", "cancelled"],
  succeeded: ["queued"],
  stopped: ["queued"],
  failed: ["queued"],
  cancelled: ["queued"],
  ended: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/** The same for a run that is only watched: its trainer says when it ends, and may go on with it later. */
export const ATTACHED_RUN_MOVES = {
  draft: [],
  queued: [],
  booting: [],
  running: ["succeeded", "stopped", "failed", "cancelled", "ended"],
  stopping: ["succeeded", "stopped", "failed", "cancelled"],
  succeeded: ["running"],
  stopped: ["running"],
  failed: ["running"],
  cancelled: ["running"],
  ended: ["running", "succeeded", "failed", "cancelled"],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/** How the metrics of an attached run come in. */
export const RunSource = z.enum(["file", "tensorboard", "mlflow", "wandb", "api"]);
export type RunSource = z.infer<typeof RunSource>;

export const TERMINAL_RUN_STATUSES = [
  "succeeded",
  "stopped",
  "failed",
  "cancelled",
  "ended",
] as const;
/** Those of a run that goes on. A draft is no run yet. */
export const ACTIVE_RUN_STATUSES = ["queued", "booting", "running", "stopping"] as const;

export function isTerminal(status: RunStatus): boolean {
  return (TERMINAL_RUN_STATUSES as readonly RunStatus[]).includes(status);
}

export const Health = z.enum(["ok", "warn", "bad", "unknown"]);
export type Health = z.infer<typeof Health>;

/** One judged signal: what is seen, what it means, and where to look. */
export const Advisory = z.object({
  id: z.string(),
  level: Health,
  title: z.string(),
  detail: z.string(),
  /** Advice is how to make it faster: it never changes the verdict and is silent while an alarm is on. */
  tier: z.enum(["alarm", "advice"]),
  /** The step at which it began; null where no step can be named. */
  sinceStep: z.number().int().nullable(),
  /** The first step that was back to normal; null while it lasts. */
  untilStep: z.number().int().nullable(),
  metricKey: z.string().nullable(),
  /** Links into the UI, relative to the run: `steps/12`, `logs?t=…`. */
  links: z.array(z.object({ label: z.string(), href: z.string() })),
});
export type Advisory = z.infer<typeof Advisory>;

/** One of the things that the first two steps of a run have to show. */
export const StartCheck = z.object({
  id: z.string(),
  label: z.string(),
  status: z.enum(["pass", "fail", "wait"]),
  detail: z.string(),
  metricKey: z.string().nullable(),
});
export type StartCheck = z.infer<typeof StartCheck>;

export const VerdictWord = z.enum(["Healthy", "Degraded", "Stalled", "Down", "Unknown"]);
export type VerdictWord = z.infer<typeof VerdictWord>;

/**
 * A sign that was there over a span of steps. Findings are kept when the sign is gone, and are found over the whole run, not only
 * while somebody looked.
 */
export const Finding = z.object({
  sign: z.string(),
  /** The worst it came to. */
  level: Health,
  title: z.string(),
  detail: z.string(),
  metricKey: z.string().nullable(),
  fromStep: z.number().int(),
  /** The first step without it; null while it lasts. */
  toStep: z.number().int().nullable(),
  /** When those steps were logged. */
  fromAt: z.string(),
  toAt: z.string().nullable(),
});
export type Finding = z.infer<typeof Finding>;

/** `Reward fell 0.51 → 0.18 at step 120, recovered by step 124`. */
export function describeFinding({
  title,
  fromStep,
  toStep,
}: Pick<Finding, "title" | "fromStep" | "toStep">): string {
  const named = new RegExp(`step ${fromStep}\\b`).test(title)
    ? title
    : `${title} from step ${fromStep}`;
  return toStep === null ? named : `${named}, recovered by step ${toStep}`;
}

/** Findings that a verdict of now does not name, newest first. */
export function earlierFindings({
  findings,
  advisories,
}: {
  findings: readonly Finding[];
  advisories: readonly Advisory[];
}): Finding[] {
  const isNamed = (one: Finding) =>
    advisories.some(
      ({ id, sinceStep }) => id === one.sign && (one.toStep === null || sinceStep === one.fromStep),
    );
  return findings.filter((one) => !isNamed(one)).toReversed();
}

/** What the newest steps of a run say. */
export const Judgement = z.object({
  word: VerdictWord,
  sentence: z.string(),
  progress: Health,
  stability: Health,
  performance: Health,
  failures: Health,
  /** Alarms, worst first; where there are none, advice. */
  advisories: z.array(Advisory),
  /** First and last of the steps that it was taken over; null before the first. */
  steps: z.tuple([z.number().int(), z.number().int()]).nullable(),
  /** What the first two steps show; empty for a run whose first step was not seen. */
  start: z.array(StartCheck),
});
export type Judgement = z.infer<typeof Judgement>;

/** The computed check-in note at the top of a run: what its newest steps say, and what was found before. */
export const Verdict = Judgement.extend({
  /** By the step at which they began; the newest where there are very many. */
  findings: z.array(Finding),
});
export type Verdict = z.infer<typeof Verdict>;

export const BootPhaseStatus = z.enum(["todo", "now", "done", "failed"]);
/** A named wait at start, with the range that earlier runs took (seconds; null when none ran yet). */
export const BootPhase = z.object({
  id: z.string(),
  label: z.string(),
  status: BootPhaseStatus,
  detail: z.string().nullable(),
  /** Share that is done, 0 to 1; null where the phase cannot tell. */
  progress: z.number().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  typicalS: z.tuple([z.number(), z.number()]).nullable(),
});
export type BootPhase = z.infer<typeof BootPhase>;

export const RunEventKind = z.enum([
  "launch",
  "status",
  "boot",
  "checkpoint",
  "weight-sync",
  "evaluation",
  "stop-requested",
  "checkpoint-requested",
  "resume",
  "crash",
  "restart",
  "attach",
  /** Another run was begun from a checkpoint of this one. */
  "fork",
  /** Somebody opened a shell in a sandbox of the run, or it was closed. */
  "operator-shell",
  "clean",
  "alert",
  /** A sign of the verdict that began, or was over. */
  "finding",
  /** What a person wrote at a step. */
  "annotation",
]);
/** How the event of an alert begins that is over, unlike that of one that fires. */
export const ALERT_OVER = "over: ";

export const RunEvent = z.object({
  id: z.number().int(),
  kind: RunEventKind,
  /** Training step that the event belongs to; null before the first. */
  step: z.number().int().nullable(),
  at: z.string(),
  actor: z.string(),
  message: z.string(),
});
export type RunEvent = z.infer<typeof RunEvent>;

/** A supervised process of a run as the UI shows it. */
export const RunProcess = z.object({
  name: z.string(),
  pid: z.number().int().nullable(),
  status: z.enum(["starting", "up", "down", "restarting", "exited"]),
  restarts: z.number().int(),
  since: z.string().nullable(),
});
export type RunProcess = z.infer<typeof RunProcess>;

const STALE_GAPS = 4;
const STALE_FLOOR_S = 120;
/** As long as nothing is known of a run's steps, which may take minutes. */
const STALE_UNKNOWN_S = 600;

/** After how many seconds without a metric a running run is stale: a few of its usual gaps. */
export function staleAfterS(usualGapS: number | null): number {
  return usualGapS === null ? STALE_UNKNOWN_S : Math.max(STALE_FLOOR_S, STALE_GAPS * usualGapS);
}

/** Age of the newest metric of a running run that is stale, seconds; null for one that is not, or does not run. */
export function staleAgeS(
  { status, lastPointAt, usualGapS }: Pick<RunSummary, "status" | "lastPointAt" | "usualGapS">,
  nowMs: number,
): number | null {
  if (status !== "running" || lastPointAt === null) return null;
  const ageS = (nowMs - Date.parse(lastPointAt)) / 1000;
  return ageS > staleAfterS(usualGapS) ? ageS : null;
}

export const RunSummary = z.object({
  id: z.string(),
  project: z.string(),
  name: z.string(),
  status: RunStatus,
  /** Why it ended or what it waits for, in words. */
  statusReason: z.string().nullable(),
  driver: RunDriver,
  /** Null for a run that LiveRL drives itself. */
  source: RunSource.nullable(),
  algorithm: z.string(),
  step: z.number().int(),
  plannedSteps: z.number().int().nullable(),
  reward: z.object({
    last: z.number().nullable(),
    steps: z.array(z.number()),
    values: z.array(z.number().nullable()),
  }),
  heldOutReward: z.number().nullable(),
  mfu: z.number().nullable(),
  idleRatio: z.number().nullable(),
  stepTimeS: z.number().nullable(),
  /** Usual time between the metrics of two steps, seconds; null while there is too little to tell. */
  usualGapS: z.number().nullable(),
  /** Null where LiveRL does not know its devices. */
  spent: RunSpent.nullable(),
  health: z.object({
    progress: Health,
    stability: Health,
    performance: Health,
    failures: Health,
  }),
  /** 1…8: the colour `--c<n>` of the run for its life. */
  color: z.number().int(),
  tags: z.array(z.string()),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** When its newest metric was written. */
  lastPointAt: z.string().nullable(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** `resume`: weights, optimizer and order of tasks; `weights`: those alone, in Hugging Face form. */
export const ForkWay = z.enum(["resume", "weights"]);
export type ForkWay = z.infer<typeof ForkWay>;

/** The other end of a fork: the run, and the step whose checkpoint the younger of the two began from. */
export const ForkLink = z.object({
  id: z.string(),
  project: z.string(),
  name: z.string(),
  step: z.number().int(),
  how: ForkWay,
});
export type ForkLink = z.infer<typeof ForkLink>;

/** The cause of a failed run, as its log shows it. */
export const RunDiagnosis = z.object({
  /** The known cause; null where the log names none that is known. */
  id: z.string().nullable(),
  cause: z.string(),
  fix: z.string().nullable(),
  /** Path of the value in the spec that repairs it, where one does. */
  field: z.string().nullable(),
  /** `high`: the error that ended the run. `medium`: the error before its end that explains it. `low`: what is known of the end alone. */
  confidence: z.enum(["high", "medium", "low"]),
  /** The error in its own words. */
  error: z.string(),
  /** Lines of the log: byte offset, line number, text. */
  evidence: z.array(
    z.object({
      offset: z.number().int().nonnegative(),
      line: z.number().int().positive(),
      text: z.string(),
    }),
  ),
});
export type RunDiagnosis = z.infer<typeof RunDiagnosis>;

export const RunDetail = RunSummary.extend({
  /** Null for a run that did not fail, and where its log says nothing. */
  diagnosis: RunDiagnosis.extend({ source: z.string() }).nullable(),
  /** What it was forked from; null for a run that began by itself. */
  parent: ForkLink.nullable(),
  /** Runs that began from a checkpoint of this one, oldest first. */
  forks: z.array(ForkLink),
  verdict: Verdict,
  boot: z.array(BootPhase),
  processes: z.array(RunProcess),
  /** Time at work, pauses before a resume left out: seconds of the lives that ended, and when the present one began. */
  active: z.object({ seconds: z.number(), since: z.string().nullable() }),
  /** Seconds until the plan is done, from the median of recent steps. */
  etaS: z.number().nullable(),
  counts: z.object({
    metrics: z.number().int(),
    steps: z.number().int(),
    rollouts: z.number().int(),
    checkpoints: z.number().int(),
    events: z.number().int(),
  }),
  /** Null where it is not known: no rollouts, or none whose tokens were counted. */
  untrained: UntrainedSum.nullable(),
  /** The launch form's values as YAML; null for an attached run. */
  specYaml: z.string().nullable(),
  /** What the trainer of an attached run said of its configuration, as YAML; null where it said nothing. */
  configYaml: z.string().nullable(),
  attachedPath: z.string().nullable(),
  /** Null where LiveRL does not know its devices. */
  cost: RunCost.nullable(),
  /** Which acts are possible now; a string says why one is not. */
  can: z.object({
    stop: z.union([z.literal(true), z.string()]),
    checkpoint: z.union([z.literal(true), z.string()]),
    resume: z.union([z.literal(true), z.string()]),
    kill: z.union([z.literal(true), z.string()]),
    /** To end the run without its job, whose cluster does not answer. */
    abandon: z.union([z.literal(true), z.string()]),
    clean: z.union([z.literal(true), z.string()]),
    delete: z.union([z.literal(true), z.string()]),
  }),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** A run by the id that MLflow's client knows it under. */
export const FindTracked = z.object({
  source: z.literal("mlflow"),
  key: z.string().min(1).max(1000),
});
export type FindTracked = z.infer<typeof FindTracked>;

export const StopRun = z.object({
  id: z.string(),
  /** `abandon`: ends the run although its cluster does not say that the job is gone. */
  when: z.enum(["after-step", "now", "abandon"]),
});
export type StopRun = z.infer<typeof StopRun>;
export const AnnotateRun = z.object({
  id: z.string(),
  step: Count32,
  text: z.string().trim().min(1, "write what there is to say").max(500),
});
export type AnnotateRun = z.infer<typeof AnnotateRun>;
/** Only annotations can be deleted: the other events are what happened. */
export const DeleteAnnotation = z.object({ id: z.string(), eventId: Count32 });
export type DeleteAnnotation = z.infer<typeof DeleteAnnotation>;
export const ResumeRun = z.object({
  id: z.string(),
  step: Count32.optional(),
});
export type ResumeRun = z.infer<typeof ResumeRun>;
export const ProjectName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "lower-case letters, digits, '.', '_' or '-'");
export const RunName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, '.', '_' or '-'");
export const AttachRun = z.object({
  project: ProjectName,
  name: RunName,
  source: z.enum(["file", "tensorboard"]).default("file"),
  /** Absolute path: of a JSONL file that verl's `file` logger writes, or of a folder with TensorBoard's event files. */
  path: z.string().min(1),
});
export type AttachRun = z.infer<typeof AttachRun>;
