-- A run that an archive brought never trained here: what is kept for the newest run is not for it.
ALTER TABLE "run" ADD COLUMN "imported_at" TIMESTAMPTZ(3);
