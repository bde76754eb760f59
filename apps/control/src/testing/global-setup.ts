import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, readMigrations } from "@liverl/prisma/migrate";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { findRoot } from "#config.ts";
import { startDatabase } from "#database/start-database.ts";
import { TEMPLATE_DATABASE } from "#testing/template-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the maintenance database of the one PostgreSQL that all tests share. */
    databaseUrl: string;
  }
}

/** One PostgreSQL for the whole test run, with a migrated template that each test's own database is copied from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "liverl-test-"));
  const database = await startDatabase(
    { dataDir, processes: join(dataDir, "processes"), databaseUrl: null },
    // Nothing of a test must outlive a power cut.
    { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "100" },
  );
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await admin.end();
  const template = new pg.Client({
    connectionString: database.url.replace("/postgres?", `/${TEMPLATE_DATABASE}?`),
  });
  await template.connect();
  await migrate(template, await readMigrations(join(findRoot(), "prisma/migrations")));
  await template.end();
  project.provide("databaseUrl", database.url);
  return async () => {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
