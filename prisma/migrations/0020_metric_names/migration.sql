CREATE TABLE "metric_name" (
  "project" TEXT NOT NULL,
  "metric" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("project", "metric")
);

-- Step axes that a W&B client defined: [{name, step}].
ALTER TABLE "tracked_run" ADD COLUMN "axes" JSONB NOT NULL DEFAULT '[]';
