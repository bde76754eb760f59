import { z } from "zod";
import { Count32 } from "#int32.ts";
import { Health, ProjectName, RunStatus, VerdictWord } from "#run.ts";
import { VerdictSign } from "#verdict-sign.ts";

const MetricName = z.string().trim().min(1, "give the metric's key").max(300);
const finite = z.number({ error: "give a number" });
const steps = z.number().int().min(1, "at least one step").max(1000);

/** When a rule fires. It is over when the condition holds no more. */
export const AlertCondition = z.discriminatedUnion("kind", [
  /** The newest values of a metric, all of them, are beyond a bound. */
  z.object({
    kind: z.literal("threshold"),
    metric: MetricName,
    side: z.enum(["above", "below"]),
    value: finite,
    /** So many of the newest values, one a step. */
    steps: steps.default(1),
  }),
  /** The mean of the newest `steps` values against the mean of as many before them. */
  z.object({
    kind: z.literal("change"),
    metric: MetricName,
    direction: z.enum(["rises", "falls", "moves"]),
    /** Of the mean before. */
    percent: finite.positive("more than 0 %"),
    steps: steps.default(5),
  }),
  /** The newest value lies far from the median of those before it, in robust standard deviations (MAD). */
  z.object({
    kind: z.literal("z-score"),
    metric: MetricName,
    z: finite.positive("more than 0"),
    /** Values before it, at least ten of which must be there. */
    window: z.number().int().min(10, "at least 10 steps").max(500).default(50),
  }),
  z.object({
    kind: z.literal("status"),
    statuses: z.array(RunStatus).min(1, "choose at least one state"),
  }),
  z.object({
    kind: z.literal("word"),
    words: z.array(VerdictWord).min(1, "choose at least one word"),
  }),
  z.object({
    kind: z.literal("sign"),
    signs: z.array(VerdictSign).min(1, "choose at least one sign"),
  }),
]);
export type AlertCondition = z.infer<typeof AlertCondition>;

export const AlertLevel = Health.extract(["warn", "bad"]);
export type AlertLevel = z.infer<typeof AlertLevel>;

export const SaveRule = z.object({
  project: ProjectName,
  /** Left out: a new one. */
  id: z.string().optional(),
  name: z.string().trim().min(1, "give it a name").max(100),
  condition: AlertCondition,
  /** Part of a run's name; empty: every run. */
  runs: z.string().trim().max(100).default(""),
  level: AlertLevel.default("warn"),
  enabled: z.boolean().default(true),
});
export type SaveRule = z.infer<typeof SaveRule>;
export const AlertRuleView = SaveRule.extend({
  id: z.string(),
  actor: z.string(),
  createdAt: z.string(),
  /** Firings that go on now. */
  open: z.number().int(),
});
export type AlertRuleView = z.infer<typeof AlertRuleView>;

/** Rules to start from, by the signs of the verdict. A new project has those with `isDefault`. */
export const RULE_PRESETS = [
  {
    name: "Training is damaged",
    isDefault: true,
    level: "bad",
    condition: {
      kind: "sign",
      signs: [
        ...["weight-sync", "verifier-zero", "verifier-all", "verifier-errors"],
        ...["verifier-contradicts", "reward-drop"],
      ],
    },
  },
  {
    name: "Run failed or stalled",
    isDefault: true,
    level: "bad",
    condition: { kind: "word", words: ["Down", "Stalled"] },
  },
  {
    name: "Reward may be hacked",
    isDefault: false,
    level: "warn",
    condition: { kind: "sign", signs: ["reward-hacking", "integrity", "task-jump"] },
  },
  {
    name: "Policy is unstable",
    isDefault: false,
    level: "warn",
    condition: {
      kind: "sign",
      signs: [
        "entropy-collapse",
        "entropy-explosion",
        "kl-nan",
        "kl-drift",
        "grad-norm-nan",
        "not-finite",
      ],
    },
  },
  {
    name: "Sandboxes fail",
    isDefault: false,
    level: "warn",
    condition: { kind: "sign", signs: ["invalid-rollouts", "agent-errors"] },
  },
  {
    name: "Run succeeded",
    isDefault: false,
    level: "warn",
    condition: { kind: "status", statuses: ["succeeded"] },
  },
] as const satisfies readonly {
  name: string;
  isDefault: boolean;
  level: AlertLevel;
  condition: unknown;
}[];

export const AddSilence = z.object({
  project: ProjectName,
  /** Null: every rule. */
  ruleId: z.string().nullable().default(null),
  /** Null: every run. */
  runId: z.string().nullable().default(null),
  minutes: z
    .number()
    .int()
    .min(1)
    .max(60 * 24 * 30, "a month at most"),
  reason: z.string().trim().min(1, "say why: others will wonder").max(500),
});
export type AddSilence = z.infer<typeof AddSilence>;
export const SilenceView = z.object({
  id: z.string(),
  ruleId: z.string().nullable(),
  ruleName: z.string().nullable(),
  runId: z.string().nullable(),
  until: z.string(),
  reason: z.string(),
  actor: z.string(),
  createdAt: z.string(),
});
export type SilenceView = z.infer<typeof SilenceView>;

export const ReceiverFormat = z.enum(["json", "slack"]);
export const AddReceiver = z.object({
  project: ProjectName,
  name: z.string().trim().min(1, "give it a name").max(100),
  url: z.url({ protocol: /^https?$/, error: "an address that begins with https://" }).max(2_000),
  format: ReceiverFormat,
});
export type AddReceiver = z.infer<typeof AddReceiver>;

export const DeliveryView = z.object({
  id: z.number().int(),
  receiver: z.string(),
  event: z.enum(["fired", "resolved", "test"]),
  status: z.enum(["queued", "delivered", "failed"]),
  attempts: z.number().int(),
  /** What the last attempt said, where it did not work. */
  error: z.string().nullable(),
  /** Of a queued one: when it is tried next. */
  nextAt: z.string().nullable(),
  at: z.string(),
});
export type DeliveryView = z.infer<typeof DeliveryView>;
export const ReceiverView = z.object({
  id: z.string(),
  name: z.string(),
  format: ReceiverFormat,
  /** Scheme and host alone: the rest of the address is a secret. */
  host: z.string(),
  /** Why nothing is sent to it as it is; null where nothing speaks against it. */
  fault: z.string().nullable(),
  actor: z.string(),
  createdAt: z.string(),
  last: DeliveryView.nullable(),
});
export type ReceiverView = z.infer<typeof ReceiverView>;

/** One firing of a rule for a run. */
export const AlertView = z.object({
  id: z.number().int(),
  ruleId: z.string().nullable(),
  ruleName: z.string(),
  run: z.object({ id: z.string(), name: z.string(), project: z.string() }),
  level: AlertLevel,
  title: z.string(),
  detail: z.string(),
  metricKey: z.string().nullable(),
  value: z.number().nullable(),
  step: z.number().int().nullable(),
  firedAt: z.string(),
  resolvedAt: z.string().nullable(),
  resolvedWhy: z.string().nullable(),
  dismissedAt: z.string().nullable(),
  /** Reason of the silence that it fired under. */
  silenced: z.string().nullable(),
  deliveries: z.array(DeliveryView),
});
export type AlertView = z.infer<typeof AlertView>;

/** `open`: fired and not over; `silenced`: the same under a silence; `history`: all, newest first. */
export const AlertList = z.enum(["open", "silenced", "history"]);
export type AlertList = z.infer<typeof AlertList>;
export const ListAlerts = z.object({
  project: z.string(),
  view: AlertList.default("open"),
  /** Of the history: older than this id. */
  before: Count32.optional(),
});
export type ListAlerts = z.infer<typeof ListAlerts>;

/** Body of a webhook in the `json` format. */
export const AlertNotice = z.object({
  event: z.enum(["fired", "resolved", "test"]),
  project: z.string(),
  alert: z.object({
    /** The same for `fired` and `resolved` of one firing; null in a test. */
    id: z.number().int().nullable(),
    rule: z.string(),
    level: AlertLevel,
    title: z.string(),
    detail: z.string(),
    step: z.number().int().nullable(),
    metric: z.string().nullable(),
    value: z.number().nullable(),
    firedAt: z.string(),
    resolvedAt: z.string().nullable(),
    resolvedWhy: z.string().nullable(),
  }),
  run: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** The page in LiveRL. */
  url: z.string(),
});
export type AlertNotice = z.infer<typeof AlertNotice>;
