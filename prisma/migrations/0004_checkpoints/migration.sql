ALTER TABLE "run" ADD COLUMN "parent_id" TEXT, ADD COLUMN "parent_step" INTEGER, ADD COLUMN "parent_how" TEXT;
CREATE INDEX "run_parent_id_idx" ON "run"("parent_id");

CREATE TABLE "checkpoint_merge" (
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "step" INTEGER NOT NULL,
  "status" TEXT NOT NULL,
  "detail" TEXT,
  "share" DOUBLE PRECISION,
  "actor" TEXT NOT NULL,
  "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "started_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  PRIMARY KEY ("run_id", "step")
);
