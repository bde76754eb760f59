-- Projects that were given their default alert rules. Deleted rules do not come back.
CREATE TABLE "alert_default" (
    "project" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_default_pkey" PRIMARY KEY ("project")
);
-- Projects that already have runs or rules keep what they chose.
INSERT INTO "alert_default" ("project")
  SELECT "project" FROM "run" UNION SELECT "project" FROM "alert_rule";
