-- Layouts of the metrics page, shared by everyone who sees the project.
CREATE TABLE "saved_view" (
  "id" TEXT PRIMARY KEY,
  "project" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "author" TEXT NOT NULL,
  "state" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "saved_view_project_name_key" ON "saved_view" ("project", "name");
