import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { findRoot } from "#config.ts";
import { type Connection, connect } from "#database/connect.ts";
import { TEMPLATE_DATABASE } from "#testing/template-database.ts";

/** A migrated database of the test's own; `close` drops it. */
export async function createTestDatabase(): Promise<Connection & { url: string }> {
  const adminUrl = inject("databaseUrl");
  const name = `liverl_test_${randomBytes(6).toString("hex")}`;
  const run = async (sql: string) => {
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query(sql).finally(() => admin.end());
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  const url = adminUrl.replace("/postgres?", `/${name}?`);
  const connection = await connect(url, join(findRoot(), "prisma/migrations"));
  return {
    ...connection,
    url,
    close: async () => {
      await connection.close();
      await run(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
