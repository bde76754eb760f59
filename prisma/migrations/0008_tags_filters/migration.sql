-- What people say of a trajectory. The runner's feed never writes these columns.
ALTER TABLE "rollout" ADD COLUMN "tags" TEXT[] NOT NULL DEFAULT '{}', ADD COLUMN "note" TEXT;

-- The table's own order, newest step first: a page goes on from a row by this index alone.
CREATE INDEX "rollout_newest_idx" ON "rollout" ("run_id", (-COALESCE("step", -1)), "group_id", "index", "rollout_id");
CREATE INDEX "rollout_run_id_task_name_step_idx" ON "rollout" ("run_id", "task_name", "step");
CREATE INDEX "rollout_run_id_termination_idx" ON "rollout" ("run_id", "termination");
CREATE INDEX "rollout_run_id_reward_idx" ON "rollout" ("run_id", "reward");
CREATE INDEX "rollout_run_id_status_idx" ON "rollout" ("run_id", "status");
-- Few rows have any: what has none costs nothing.
CREATE INDEX "rollout_tags_idx" ON "rollout" USING gin ("tags") WHERE "tags" <> '{}';
CREATE INDEX "rollout_integrity_kinds_idx" ON "rollout" ("run_id") WHERE "integrity_kinds" <> '{}';
CREATE INDEX "rollout_note_idx" ON "rollout" ("run_id") WHERE "note" IS NOT NULL;
CREATE INDEX "rollout_error_idx" ON "rollout" ("run_id", ("error" ->> 'exception_type')) WHERE "error" IS NOT NULL;

CREATE TABLE "saved_filter" (
  "project" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "filter" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("project", "target", "name")
);
