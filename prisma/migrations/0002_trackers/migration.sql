ALTER TABLE "run" ADD COLUMN "source" TEXT, ADD COLUMN "config" JSON;
UPDATE "run" SET "source" = 'file' WHERE "driver" = 'attached';

ALTER TABLE "ingest_source" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'file';

CREATE TABLE "tracked_run" (
  "source" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "experiment_id" INTEGER,
  "name" TEXT NOT NULL,
  "user_id" TEXT NOT NULL DEFAULT '',
  "tags" JSONB NOT NULL DEFAULT '{}',
  "started_ms" DOUBLE PRECISION NOT NULL,
  "ended_ms" DOUBLE PRECISION,
  "stream" JSONB NOT NULL DEFAULT '{}',
  "summary" JSONB,
  PRIMARY KEY ("source", "key")
);
CREATE UNIQUE INDEX "tracked_run_run_id_key" ON "tracked_run"("run_id");
CREATE INDEX "tracked_run_experiment_id_idx" ON "tracked_run"("experiment_id");

CREATE TABLE "experiment" (
  "id" SERIAL PRIMARY KEY,
  "name" TEXT NOT NULL,
  "project" TEXT NOT NULL,
  "tags" JSONB NOT NULL DEFAULT '{}',
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "experiment_name_key" ON "experiment"("name");
-- MLflow's clients log into experiment 0 unless they are told another.
INSERT INTO "experiment" ("id", "name", "project") VALUES (0, 'Default', 'default');

CREATE TABLE "ingest_batch" (
  "run_id" TEXT NOT NULL,
  "batch" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("run_id", "batch")
);
CREATE INDEX "ingest_batch_at_idx" ON "ingest_batch"("at");
