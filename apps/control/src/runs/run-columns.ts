import type { RunFieldName } from "@liverl/contract/filter/filter-fields";
import { METRIC_ALIASES } from "@liverl/contract/metric";
import { TERMINAL_RUN_STATUSES } from "@liverl/contract/run";
import type { FilterColumn } from "#filters/compile-filter.ts";
import { VERL_KEYS } from "#launch/verl-keys.ts";
import { RECENT_STEPS, STEP_TIME_KEYS } from "#verdict/step-times.ts";

const words = (list: readonly string[]) => list.map((word) => `'${word}'`).join(", ");

/** The newest point of the first of a canonical key's sources that the run logs. */
function newestOf(canonical: keyof typeof METRIC_ALIASES): string {
  const keys = words(METRIC_ALIASES[canonical]);
  const known = `(SELECT last FROM series WHERE run_id = run.id AND key IN (${keys})
    ORDER BY array_position(ARRAY[${keys}], key) LIMIT 1)`;
  if (canonical !== "reward/mean") return known;
  return `COALESCE((SELECT last FROM series JOIN metric_name ON metric_name.key = series.key
    WHERE run_id = run.id AND metric_name.project = run.project AND metric = 'reward'), ${known})`;
}

/** Of several sources the first by name, part by part, as `evaluationKey` has it. */
const HELD_OUT = `COALESCE(run.held_out_reward, (SELECT last FROM series WHERE run_id = run.id AND key LIKE 'val-core/%'
  ORDER BY replace(key, '/', E'\\x01') COLLATE "C" LIMIT 1))`;
/** System metrics are counted by their samples. */
const STEP =
  "(SELECT COALESCE(max(last_step) FILTER (WHERE key NOT LIKE 'system.%'), max(last_step)) FROM series WHERE run_id = run.id)";
const SPEC = "run.spec -> 'algorithm' ->>";
/** As the runs table calls it: verl's loss where it has one of its own, and PPO by its critic. */
const ALGORITHM = `(CASE WHEN COALESCE(${SPEC} 'loss_mode', 'vanilla') <> 'vanilla' THEN ${SPEC} 'loss_mode'
  WHEN ${SPEC} 'adv_estimator' = 'gae' THEN 'ppo' ELSE ${SPEC} 'adv_estimator' END)`;

/** Of the newest chunks only the tails are read: a time is missing from hardly any step. */
const TAIL = 20;
const tailOf = (list: string) => `${list}[greatest(1, cardinality(${list}) - ${TAIL - 1}):]`;
/** The median of a run's newest finite step times under a key; null where it has none. */
const medianOf = (
  key: string,
) => `(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FROM (
    SELECT seconds FROM (SELECT slot, ${tailOf("values")} AS tail, ${tailOf("flags")} AS signs FROM chunk
        WHERE series_id = (SELECT id FROM series WHERE run_id = run.id AND key = '${key}') ORDER BY slot DESC LIMIT 2) AS newest,
      unnest(tail, signs) WITH ORDINALITY AS point (seconds, sign, place)
    WHERE sign = 0 AND seconds IS NOT NULL ORDER BY slot DESC, place DESC LIMIT ${RECENT_STEPS}) AS recent)`;
const STEP_TIME = `COALESCE(${STEP_TIME_KEYS.map(medianOf).join(", ")})`;

const TERMINAL = words(TERMINAL_RUN_STATUSES);
/** `activeTime` of a run that LiveRL drives: seconds from its first word of work to its end, over all of its lives. */
const AT_WORK_S = `(SELECT sum(EXTRACT(EPOCH FROM COALESCE(ended, now()) - began)) FROM (
    SELECT min(at) FILTER (WHERE word IN ('booting', 'running')) AS began, max(at) FILTER (WHERE word IN (${TERMINAL})) AS ended
    FROM (SELECT at, word, count(*) FILTER (WHERE word IN (${TERMINAL}))
          OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS life
        FROM (SELECT id, at, split_part(message, ':', 1) AS word FROM run_event
          WHERE run_id = run.id AND kind = 'status') AS moves) AS lived
    GROUP BY life) AS lives WHERE began IS NOT NULL)`;

/** A count of the layout of a spec of verl, or of the override that stands in for it. */
function layoutCount(
  field: "nnodes" | "n_gpus_per_node" | `rollout_${"nnodes" | "n_gpus_per_node"}`,
) {
  const overrides = VERL_KEYS[`layout.${field}`]
    .toReversed()
    .flatMap((key) =>
      ["", "+", "++"].map(
        (prefix) => `substring(whole.spec -> 'overrides' ->> '${prefix}${key}' FROM '^[0-9]+$')`,
      ),
    );
  return `COALESCE(${[...overrides, `whole.spec -> 'layout' ->> '${field}'`].join(", ")})::float8`;
}
/** The spec is unpacked once, and not for each of the values. */
const DEVICES = `(SELECT CASE WHEN whole.spec ->> 'driver' = 'embedded' THEN (whole.spec -> 'rollout' ->> 'engines')::float8 + 1
    ELSE ${layoutCount("nnodes")} * ${layoutCount("n_gpus_per_node")}
      + ${layoutCount("rollout_nnodes")} * ${layoutCount("rollout_n_gpus_per_node")} END
  FROM (SELECT run.spec || '{}' AS spec OFFSET 0) AS whole)`;

/** Where the filter's fields of runs stand, as `summariseRun` has them. */
export const RUN_COLUMNS: Record<RunFieldName, FilterColumn> = {
  status: { kind: "text", sql: "run.status" },
  name: { kind: "text", sql: "run.name" },
  tag: { kind: "list", sql: "run.tags" },
  reward: { kind: "number", sql: newestOf("reward/mean") },
  heldout: { kind: "number", sql: HELD_OUT },
  step: { kind: "integer", sql: STEP },
  algorithm: { kind: "text", sql: ALGORITHM },
  mode: { kind: "text", sql: `(${SPEC} 'trainer_mode')` },
  preset: { kind: "text", sql: "(run.base ->> 'id')" },
  driver: { kind: "text", sql: "run.driver" },
  source: { kind: "text", sql: "run.source" },
  mfu: { kind: "number", sql: newestOf("mfu/actor") },
  idle: { kind: "number", sql: newestOf("idle_ratio/trainer") },
  steptime: { kind: "number", sql: STEP_TIME },
  hours: {
    kind: "number",
    sql: `(CASE WHEN run.spec IS NOT NULL THEN ${DEVICES} * COALESCE(${AT_WORK_S}, 0)::float8 / 3600 END)`,
  },
  why: { kind: "text", sql: "run.status_reason" },
  id: { kind: "text", sql: "run.id" },
};
