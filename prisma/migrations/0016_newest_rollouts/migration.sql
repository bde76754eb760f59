-- The table's own order is read along an index: its expressions are those of the query, or it is of no use. Of one step
-- the groups stand by the number at the end of their ids: g2 before g10.
DROP INDEX "rollout_newest_idx";
CREATE INDEX "rollout_newest_idx"
  ON "rollout" ("run_id", (-COALESCE("step", "asked_step", -1)), (COALESCE(substring("group_id" FROM '\d{1,18}$')::bigint, 0)), "group_id", "index", "rollout_id");

-- How a rollout ended is asked for together with its reward: matches are counted without reading the rows themselves.
DROP INDEX "rollout_run_id_termination_idx";
CREATE INDEX "rollout_run_id_termination_idx" ON "rollout"("run_id", "termination") INCLUDE ("reward", "mode");
