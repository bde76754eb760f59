-- A filter on turns counts its matches without reading the rows themselves: mode and reward are what it is mostly joined with.
CREATE INDEX "rollout_run_id_turns_idx" ON "rollout"("run_id", "turns") INCLUDE ("mode", "reward");
