-- A run that was stopped on request after a finished step has its own status. Before, it shared `cancelled` with killed runs.
UPDATE "run" SET "status" = 'stopped'
  WHERE "status" = 'cancelled'
    AND ("status_reason" ~ '^stopped after step [1-9]' OR "status_reason" IN ('no longer followed', 'marked as ended'));
UPDATE "run_event" SET "message" = 'stopped' || substr("message", length('cancelled') + 1)
  WHERE "kind" = 'status' AND "message" ~ '^cancelled: (stopped after step [1-9]|no longer followed|marked as ended)';

-- Share of a boot phase that is done.
ALTER TABLE "boot_phase" ADD COLUMN "progress" DOUBLE PRECISION;
