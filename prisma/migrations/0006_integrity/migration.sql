-- Kinds of signs that the reward was not earned; the evidence stays in the trial's folder.
ALTER TABLE "rollout" ADD COLUMN "integrity_kinds" TEXT[] NOT NULL DEFAULT '{}';
