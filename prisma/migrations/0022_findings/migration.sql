CREATE TABLE "finding" (
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "sign" TEXT NOT NULL,
  "from_step" INTEGER NOT NULL,
  "to_step" INTEGER,
  "level" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "detail" TEXT NOT NULL,
  "metric_key" TEXT,
  "from_at" TIMESTAMPTZ(3) NOT NULL,
  "to_at" TIMESTAMPTZ(3),
  "is_over" BOOLEAN NOT NULL,
  "is_quiet" BOOLEAN NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "finding_pkey" PRIMARY KEY ("run_id", "sign", "from_step")
);

CREATE TABLE "finding_state" (
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "step" INTEGER NOT NULL,
  "points" TEXT NOT NULL,
  "rules" TEXT NOT NULL,
  CONSTRAINT "finding_state_pkey" PRIMARY KEY ("run_id")
);
