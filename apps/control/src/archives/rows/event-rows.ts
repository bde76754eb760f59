import { AlertLevel } from "@liverl/contract/alert";
import { Count32, Int32 } from "@liverl/contract/int32";
import { RunEventKind } from "@liverl/contract/run";
import { EMBEDDED_BOOT_PHASES } from "@liverl/contract/trainer";
import { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";
import { z } from "zod";
import { moment, seconds, sha256, text } from "#archives/rows/row-values.ts";

const MOST_MESSAGE = 100_000;
const actor = text(300);

/** Ids are this database's own. */
export const RunEventRow = z.object({
  run_id: z.string(),
  source_key: text(500).nullish(),
  kind: RunEventKind,
  step: Count32.nullish(),
  at: moment,
  actor,
  message: text(MOST_MESSAGE),
});

const PHASES = [...EMBEDDED_BOOT_PHASES, ...VERL_BOOT_PHASES].map(({ id }) => id);
export const BootPhaseRow = z.object({
  run_id: z.string(),
  attempt: Count32,
  phase: z.enum(PHASES),
  state: z.enum(["now", "done", "failed"]),
  progress: z.number().min(0).max(1).nullish(),
  detail: text(MOST_MESSAGE).nullish(),
  started_at: moment,
  ended_at: moment.nullish(),
});

/** Where it lies is told by this LiveRL. */
export const CheckpointRow = z.object({
  run_id: z.string(),
  step: Count32,
  written_at: moment,
  seconds,
  size_bytes: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  state_sha256: sha256,
  weights_sha256: sha256,
});

/** A firing, without its rule and without who was told: both are of the LiveRL that it comes from. */
export const AlertRow = z.object({
  run_id: z.string(),
  project: z.string(),
  rule_name: text(1_000),
  level: AlertLevel,
  title: text(2_000),
  detail: text(20_000),
  metric_key: text(300).nullish(),
  value: z.number().nullish(),
  step: Int32.nullish(),
  fired_at: moment,
  resolved_at: moment.nullish(),
  resolved_why: text(2_000).nullish(),
  dismissed_at: moment.nullish(),
  silenced: text(2_000).nullish(),
});
