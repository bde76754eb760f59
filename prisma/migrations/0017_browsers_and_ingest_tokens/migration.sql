-- Signed-in browsers: each has a name to be listed and revoked by, and a key that its pages send beside the cookie. Earlier
-- ones have no such key: they sign in anew.
DELETE FROM "auth_session";
ALTER TABLE "auth_session"
  ADD COLUMN "id" TEXT NOT NULL UNIQUE,
  ADD COLUMN "page_hash" TEXT NOT NULL,
  ADD COLUMN "user_agent" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);

-- The one project whose runs an ingest token begins and writes; null for tokens of the other scopes.
ALTER TABLE "api_token" ADD COLUMN "project" TEXT;

-- Whose tracker began a run: `ingest` for the token that all trainers may share, else its actor. Null for runs of LiveRL, and
-- for tracked runs of earlier versions, which the shared token goes on writing.
ALTER TABLE "run" ADD COLUMN "begun_by" TEXT;
