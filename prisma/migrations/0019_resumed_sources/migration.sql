-- Steps of a series that came again, until it is known whether its run went back.
ALTER TABLE "series" ADD COLUMN "back_steps" INTEGER[] NOT NULL DEFAULT '{}', ADD COLUMN "back_proof" BOOLEAN NOT NULL DEFAULT false;

-- Points that an attached run logged behind the step from which it went on later.
CREATE TABLE "abandoned_point" (
  "id" BIGSERIAL PRIMARY KEY,
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "key" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "value" DOUBLE PRECISION,
  "flag" SMALLINT NOT NULL,
  "wall_ms" DOUBLE PRECISION NOT NULL
);
CREATE INDEX "abandoned_point_run_id_key_step_idx" ON "abandoned_point"("run_id", "key", "step");
