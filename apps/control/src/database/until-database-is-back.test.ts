import { expect, test } from "vitest";
import { untilDatabaseIsBack } from "#database/until-database-is-back.ts";

const restarting = () =>
  Object.assign(new Error("the database system is starting up"), { code: "57P03" });

test("waits for a database that restarts, and for nothing else", async () => {
  let asked = 0;
  const answer = await untilDatabaseIsBack(async () => {
    if (++asked < 2) throw restarting();
    return "rows";
  }, undefined);
  expect([asked, answer]).toEqual([2, "rows"]);
  await expect(
    untilDatabaseIsBack(async () => {
      throw new Error("no such column");
    }, undefined),
  ).rejects.toThrow("no such column");
});

test("ends with its listener", async () => {
  const gone = new AbortController();
  const waiting = untilDatabaseIsBack(async () => {
    throw restarting();
  }, gone.signal);
  gone.abort();
  expect(await waiting).toBeNull();
});
