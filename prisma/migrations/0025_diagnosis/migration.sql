ALTER TABLE "run" ADD COLUMN "diagnosis" JSONB;
