import type { RunFieldName } from "@liverl/contract/filter/filter-fields";
import { METRIC_ALIASES } from "@liverl/contract/metric";
import type { FilterColumn } from "#filters/compile-filter.ts";

const [first, second, third] = METRIC_ALIASES["reward/mean"];
/** The newest point of the first of reward's keys that the run logs. */
const REWARD = `(SELECT last FROM series WHERE run_id = run.id AND key IN ('${first}', '${second}', '${third}')
  ORDER BY array_position(ARRAY['${first}', '${second}', '${third}'], key) LIMIT 1)`;
const HELD_OUT = `COALESCE(run.held_out_reward,
  (SELECT last FROM series WHERE run_id = run.id AND key LIKE 'val-core/%' ORDER BY key LIMIT 1))`;
const STEP = "(SELECT max(last_step) FROM series WHERE run_id = run.id)";
const SPEC = "run.spec -> 'algorithm' ->>";
/** As the runs table calls it: verl's loss where it has one of its own, and PPO by its critic. */
const ALGORITHM = `(CASE WHEN COALESCE(${SPEC} 'loss_mode', 'vanilla') <> 'vanilla' THEN ${SPEC} 'loss_mode'
  WHEN ${SPEC} 'adv_estimator' = 'gae' THEN 'ppo' ELSE ${SPEC} 'adv_estimator' END)`;

/** Where the filter's fields of runs stand. */
export const RUN_COLUMNS: Record<RunFieldName, FilterColumn> = {
  status: { kind: "text", sql: "run.status" },
  name: { kind: "text", sql: "run.name" },
  tag: { kind: "list", sql: "run.tags" },
  reward: { kind: "number", sql: REWARD },
  heldout: { kind: "number", sql: HELD_OUT },
  step: { kind: "integer", sql: STEP },
  algorithm: { kind: "text", sql: ALGORITHM },
  mode: { kind: "text", sql: `(${SPEC} 'trainer_mode')` },
  preset: { kind: "text", sql: "(run.base ->> 'id')" },
  driver: { kind: "text", sql: "run.driver" },
  source: { kind: "text", sql: "run.source" },
  why: { kind: "text", sql: "run.status_reason" },
  id: { kind: "text", sql: "run.id" },
};
