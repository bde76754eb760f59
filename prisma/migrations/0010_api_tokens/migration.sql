-- Tokens of programs, by scope; only the hash of a token is kept.
CREATE TABLE "api_token" (
  "name" TEXT PRIMARY KEY,
  "hash" TEXT NOT NULL UNIQUE,
  "scope" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  "expires_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3)
);
