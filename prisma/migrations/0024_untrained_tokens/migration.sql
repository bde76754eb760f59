-- Tokens that no segment trains, by reason. Null in rollouts that ended before they were counted.
ALTER TABLE "rollout" ADD COLUMN "untrained" JSONB;
