-- What an hour of a device costs in a project.
CREATE TABLE "project_price" (
  "project" TEXT PRIMARY KEY,
  "gpu_hour" DOUBLE PRECISION,
  "cpu_hour" DOUBLE PRECISION,
  "currency" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
-- How long runs were at work is read from these alone, among thousands of events.
CREATE INDEX "run_event_status_idx" ON "run_event" ("run_id", "id") WHERE "kind" = 'status';
-- The preset or the run that a run's spec began as, with its values at that time.
ALTER TABLE "run" ADD COLUMN "base" JSONB;
