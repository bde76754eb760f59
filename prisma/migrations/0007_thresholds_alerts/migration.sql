CREATE TABLE "threshold" (
  "project" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "warn" DOUBLE PRECISION,
  "bad" DOUBLE PRECISION,
  "actor" TEXT NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("project", "id")
);

CREATE TABLE "alert_rule" (
  "id" TEXT PRIMARY KEY,
  "project" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "condition" JSONB NOT NULL,
  "runs" TEXT NOT NULL DEFAULT '',
  "level" TEXT NOT NULL,
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "alert_rule_project_idx" ON "alert_rule" ("project");

CREATE TABLE "alert" (
  "id" SERIAL PRIMARY KEY,
  "project" TEXT NOT NULL,
  "rule_id" TEXT REFERENCES "alert_rule" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
  "rule_name" TEXT NOT NULL,
  "run_id" TEXT NOT NULL REFERENCES "run" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "level" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "detail" TEXT NOT NULL,
  "metric_key" TEXT,
  "value" DOUBLE PRECISION,
  "step" INTEGER,
  "fired_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "resolved_at" TIMESTAMPTZ(3),
  "resolved_why" TEXT,
  "dismissed_at" TIMESTAMPTZ(3),
  "silenced" TEXT
);
CREATE INDEX "alert_project_id_idx" ON "alert" ("project", "id");
CREATE INDEX "alert_run_id_idx" ON "alert" ("run_id");
-- A rule fires once for a run, and again only after it was over.
CREATE UNIQUE INDEX "alert_open_key" ON "alert" ("rule_id", "run_id") WHERE "resolved_at" IS NULL;

CREATE TABLE "alert_silence" (
  "id" TEXT PRIMARY KEY,
  "project" TEXT NOT NULL,
  "rule_id" TEXT REFERENCES "alert_rule" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "run_id" TEXT REFERENCES "run" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "until" TIMESTAMPTZ(3) NOT NULL,
  "reason" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "alert_silence_project_idx" ON "alert_silence" ("project");

CREATE TABLE "alert_receiver" (
  "id" TEXT PRIMARY KEY,
  "project" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "format" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "alert_receiver_project_idx" ON "alert_receiver" ("project");

CREATE TABLE "alert_delivery" (
  "id" SERIAL PRIMARY KEY,
  "receiver_id" TEXT NOT NULL REFERENCES "alert_receiver" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "alert_id" INTEGER REFERENCES "alert" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "event" TEXT NOT NULL,
  "status" TEXT NOT NULL DEFAULT 'queued',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "error" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "delivered_at" TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX "alert_delivery_alert_id_receiver_id_event_key" ON "alert_delivery" ("alert_id", "receiver_id", "event");
CREATE INDEX "alert_delivery_status_next_at_idx" ON "alert_delivery" ("status", "next_at");
