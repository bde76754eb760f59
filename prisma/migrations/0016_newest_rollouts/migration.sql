-- The table's own order is read along an index: its expressions are those of the query, or it is of no use. A group's number stands
-- at the end of its id, so of one step the shorter ids come first: g2 before g10.
DROP INDEX "rollout_newest_idx";
CREATE INDEX "rollout_newest_idx"
  ON "rollout" ("run_id", (-COALESCE("step", "asked_step", -1)), (length("group_id")), "group_id", "index", "rollout_id");

-- How a rollout ended is asked for together with its reward: matches are counted without reading the rows themselves.
DROP INDEX "rollout_run_id_termination_idx";
CREATE INDEX "rollout_run_id_termination_idx" ON "rollout"("run_id", "termination") INCLUDE ("reward", "mode");
