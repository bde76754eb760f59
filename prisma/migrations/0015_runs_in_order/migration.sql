-- A run's newest step is the end of this index, and not a look at each of its series.
CREATE INDEX "series_run_id_last_step_idx" ON "series"("run_id", "last_step");
-- The moves of a run's status, of which its hours at work come, among events that are many.
CREATE INDEX "run_event_moves_idx" ON "run_event"("run_id", "id") WHERE "kind" = 'status';
