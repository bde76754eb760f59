CREATE TABLE "run" (
  "id" TEXT PRIMARY KEY,
  "project" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "status_reason" TEXT,
  "driver" TEXT NOT NULL,
  "spec" JSONB,
  "attached_path" TEXT,
  "color" INTEGER NOT NULL,
  "tags" TEXT[],
  "attempt" INTEGER NOT NULL DEFAULT 0,
  "resume_from" TEXT,
  "crashes" INTEGER NOT NULL DEFAULT 0,
  "stop_mode" TEXT,
  "released" BOOLEAN NOT NULL DEFAULT false,
  "held_out_reward" DOUBLE PRECISION,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "started_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3)
);
CREATE INDEX "run_project_created_at_idx" ON "run"("project", "created_at");

CREATE TABLE "run_event" (
  "id" SERIAL PRIMARY KEY,
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "source_key" TEXT,
  "kind" TEXT NOT NULL,
  "step" INTEGER,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "actor" TEXT NOT NULL,
  "message" TEXT NOT NULL
);
CREATE UNIQUE INDEX "run_event_run_id_source_key_key" ON "run_event"("run_id", "source_key");
CREATE INDEX "run_event_run_id_id_idx" ON "run_event"("run_id", "id");

CREATE TABLE "boot_phase" (
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "attempt" INTEGER NOT NULL,
  "phase" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "detail" TEXT,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "ended_at" TIMESTAMPTZ(3),
  PRIMARY KEY ("run_id", "attempt", "phase")
);

CREATE TABLE "checkpoint" (
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "step" INTEGER NOT NULL,
  "path" TEXT NOT NULL,
  "written_at" TIMESTAMPTZ(3) NOT NULL,
  "seconds" DOUBLE PRECISION NOT NULL,
  "size_bytes" DOUBLE PRECISION NOT NULL,
  "state_sha256" TEXT NOT NULL,
  "weights_sha256" TEXT NOT NULL,
  PRIMARY KEY ("run_id", "step")
);

CREATE TABLE "rollout" (
  "rollout_id" TEXT PRIMARY KEY,
  "session_id" TEXT NOT NULL,
  "run_id" TEXT,
  "group_id" TEXT NOT NULL,
  "index" INTEGER NOT NULL,
  "task_id" TEXT NOT NULL,
  "task_name" TEXT NOT NULL,
  "mode" TEXT NOT NULL,
  "step" INTEGER,
  "attempt" INTEGER NOT NULL,
  "status" TEXT NOT NULL,
  "reward" DOUBLE PRECISION,
  "termination" TEXT,
  "error" JSONB,
  "turns" INTEGER NOT NULL,
  "tokens_sampled" INTEGER NOT NULL,
  "tokens_total" INTEGER NOT NULL,
  "version_min" INTEGER,
  "version_max" INTEGER,
  "truncated" BOOLEAN NOT NULL,
  "timings" JSONB,
  "queued_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  "directory" TEXT,
  "cursor" BIGINT NOT NULL
);
CREATE INDEX "rollout_run_id_mode_step_idx" ON "rollout"("run_id", "mode", "step");
CREATE INDEX "rollout_run_id_group_id_idx" ON "rollout"("run_id", "group_id");

CREATE TABLE "ingest_source" (
  "id" SERIAL PRIMARY KEY,
  "run_id" TEXT NOT NULL,
  "path" TEXT NOT NULL,
  "position" BIGINT NOT NULL DEFAULT 0,
  "generation" INTEGER NOT NULL DEFAULT 0,
  "tail" TEXT NOT NULL DEFAULT '',
  "active" BOOLEAN NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX "ingest_source_run_id_path_key" ON "ingest_source"("run_id", "path");

CREATE TABLE "ingest_state" (
  "id" INTEGER PRIMARY KEY DEFAULT 1,
  "folded_seq" BIGINT NOT NULL DEFAULT 0,
  "seq_base" BIGINT NOT NULL DEFAULT 0,
  "trials_cursor" BIGINT NOT NULL DEFAULT 0
);
INSERT INTO "ingest_state" ("id") VALUES (1);

CREATE TABLE "series" (
  "id" SERIAL PRIMARY KEY,
  "run_id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "points" INTEGER NOT NULL DEFAULT 0,
  "last_step" INTEGER NOT NULL,
  "last" DOUBLE PRECISION,
  "last_wall" DOUBLE PRECISION NOT NULL,
  "rolled" BOOLEAN NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX "series_run_id_key_key" ON "series"("run_id", "key");

CREATE TABLE "chunk" (
  "series_id" INTEGER NOT NULL,
  "slot" INTEGER NOT NULL,
  "steps" INTEGER[],
  "values" DOUBLE PRECISION[],
  "flags" SMALLINT[],
  "wall_ms" DOUBLE PRECISION[],
  "seqs" BIGINT[],
  "max_seq" BIGINT NOT NULL,
  PRIMARY KEY ("series_id", "slot")
);
CREATE INDEX "chunk_series_id_max_seq_idx" ON "chunk"("series_id", "max_seq");

CREATE TABLE "rollup" (
  "series_id" INTEGER NOT NULL,
  "level" INTEGER NOT NULL,
  "slot" INTEGER NOT NULL,
  "steps" INTEGER[],
  "lasts" DOUBLE PRECISION[],
  "mins" DOUBLE PRECISION[],
  "maxs" DOUBLE PRECISION[],
  "ns" INTEGER[],
  "flags" SMALLINT[],
  "wall_ms" DOUBLE PRECISION[],
  PRIMARY KEY ("series_id", "level", "slot")
);

CREATE TABLE "login_code" (
  "hash" TEXT PRIMARY KEY,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "used_at" TIMESTAMPTZ(3)
);

CREATE TABLE "auth_session" (
  "hash" TEXT PRIMARY KEY,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE "launch_key" (
  "key" TEXT PRIMARY KEY,
  "spec_sha256" TEXT NOT NULL,
  "run_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
