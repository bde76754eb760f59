-- Counted while somebody looks at the cluster.
CREATE INDEX "rollout_error_ended_at_idx" ON "rollout"("ended_at") WHERE "error" IS NOT NULL;
