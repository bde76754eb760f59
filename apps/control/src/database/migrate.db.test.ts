import { join } from "node:path";
import { migrate, readMigrations } from "@liverl/prisma/migrate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findRoot } from "#config.ts";
import type { Connection } from "#database/connect.ts";
import { createTestDatabase } from "#testing/create-test-database.ts";

describe("migrate", () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await createTestDatabase();
  });
  afterAll(() => connection.close());

  const known = () => readMigrations(join(findRoot(), "prisma/migrations"));
  const made = (name: string, sql: string) => ({ name, sql, checksum: `sum of ${sql}` });
  const run = async (migrations: Awaited<ReturnType<typeof known>>) => {
    const client = await connection.pool.connect();
    return migrate(client, migrations).finally(() => client.release());
  };

  test("applies nothing twice", async () => {
    expect(await run(await known())).toEqual([]);
  });

  test("applies a migration whole or not at all", async () => {
    const broken = made("9000_broken", "CREATE TABLE half (id INT); SELECT no_such_function();");
    await expect(run([...(await known()), broken])).rejects.toThrow("no_such_function");
    const { rows } = await connection.pool.query("SELECT to_regclass('half') AS half");
    expect(rows[0]?.half).toBeNull();
    expect(
      await run([...(await known()), made("9000_broken", "CREATE TABLE half (id INT)")]),
    ).toEqual(["9000_broken"]);
  });

  test("refuses to start when an applied migration was changed or is gone", async () => {
    const [first] = await known();
    if (!first) throw new Error("no migrations");
    const later = made("9000_broken", "CREATE TABLE half (id INT)");
    await expect(run([{ ...first, checksum: "other" }, later])).rejects.toThrow(
      /0001_init was changed/,
    );
    await expect(run(await known())).rejects.toThrow(/9000_broken was applied .* newer/);
  });

  test("two that start at once apply each migration once", async () => {
    const next = [
      ...(await known()),
      made("9000_broken", "CREATE TABLE half (id INT)"),
      made("9001_more", "CREATE TABLE more (id INT)"),
    ];
    const applied = await Promise.all([run(next), run(next)]);
    expect(applied.flat()).toEqual(["9001_more"]);
  });
});
