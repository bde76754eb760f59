-- A trainer that works apart from the engines trains a rollout in another step than it was asked for in, or never. "step" is
-- the one that trained it where the trainer writes that down, and "asked_step" the one that asked.
ALTER TABLE "rollout" ADD COLUMN "asked_step" INTEGER;
UPDATE "rollout" SET "asked_step" = "step";
-- What is asked for in a step and trains in no step, or in another.
CREATE INDEX "rollout_run_id_asked_step_idx" ON "rollout"("run_id", "asked_step") WHERE "step" IS DISTINCT FROM "asked_step";

-- What updates took, from updates-<attempt>.jsonl. Apart from "rollout": a record may come before the runner's feed tells of a rollout.
CREATE TABLE "taken_rollout" (
  "rollout_id" TEXT PRIMARY KEY,
  "run_id" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "step" INTEGER NOT NULL,
  "update" INTEGER NOT NULL,
  "version" INTEGER NOT NULL,
  "lost" BOOLEAN NOT NULL DEFAULT false
);
CREATE INDEX "taken_rollout_run_id_step_idx" ON "taken_rollout"("run_id", "step");
-- The newest that each life took.
CREATE INDEX "taken_rollout_run_id_attempt_version_idx" ON "taken_rollout"("run_id", "attempt", "version");

-- How far each of those files is read.
CREATE TABLE "update_file" (
  "run_id" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "position" BIGINT NOT NULL,
  "generation" INTEGER NOT NULL,
  "tail" TEXT NOT NULL,
  PRIMARY KEY ("run_id", "attempt")
);
