-- Turns of rollouts that were sampled again. Apart from rollouts, and never trained on: the check holds `trains` to false.
CREATE TABLE "replay" (
  "id" TEXT PRIMARY KEY,
  "run_id" TEXT NOT NULL REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "rollout_id" TEXT NOT NULL,
  "segment_id" INTEGER NOT NULL,
  "node_id" INTEGER NOT NULL,
  "turn" INTEGER NOT NULL,
  "trains" BOOLEAN NOT NULL DEFAULT FALSE CONSTRAINT "replay_never_trains" CHECK (NOT "trains"),
  "weights" JSONB NOT NULL,
  "weights_sha256" TEXT,
  "prompt_tokens" INTEGER NOT NULL,
  "prompt_sha256" TEXT NOT NULL,
  "sampling" JSONB NOT NULL,
  "n" INTEGER NOT NULL,
  "original" JSONB NOT NULL,
  "scores" JSONB,
  "score_fault" TEXT,
  "status" TEXT NOT NULL DEFAULT 'queued',
  "error" TEXT,
  "actor" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "ended_at" TIMESTAMPTZ(3)
);
CREATE INDEX "replay_rollout_id_created_at_idx" ON "replay" ("rollout_id", "created_at");
CREATE INDEX "replay_status_idx" ON "replay" ("status");

CREATE TABLE "replay_sample" (
  "replay_id" TEXT NOT NULL REFERENCES "replay"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "index" INTEGER NOT NULL,
  "request_ids" TEXT[],
  "token_ids" INTEGER[],
  "logprobs" DOUBLE PRECISION[],
  "versions" JSONB NOT NULL,
  "stop_reason" TEXT NOT NULL,
  "flaw" TEXT,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY ("replay_id", "index")
);
