-- Written anew every few seconds while somebody looks: it needs no log, and a crash may empty it.
CREATE UNLOGGED TABLE "rollout_live" (
  "rollout_id" TEXT NOT NULL,
  "run_id" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "stage" TEXT NOT NULL,
  "since" TIMESTAMPTZ(3),
  "turns" INTEGER,
  "tokens_sampled" INTEGER,
  "tokens_total" INTEGER,
  "last_sign_at" TIMESTAMPTZ(3),
  "sandbox" TEXT,
  CONSTRAINT "rollout_live_pkey" PRIMARY KEY ("rollout_id")
);
CREATE INDEX "rollout_live_run_id_idx" ON "rollout_live" ("run_id");
