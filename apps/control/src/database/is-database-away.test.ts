import { expect, test } from "vitest";
import { isDatabaseAway } from "#database/is-database-away.ts";

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  [coded("the database system is shutting down", "57P01"), true],
  [
    coded(
      "Invalid `db.run.findMany()` invocation:\nDatabase error. Code: `57P03`. Message: `the database system is starting up`",
      "P2039",
    ),
    true,
  ],
  [coded("Database error. Code: `22021`", "P2039"), false],
  [coded("connect ECONNREFUSED", "ECONNREFUSED"), true],
  [coded("no such file or directory, open 'a'", "ENOENT"), false],
  [Object.assign(coded("connect ENOENT", "ENOENT"), { syscall: "connect" }), true],
  [new Error("wrapped", { cause: new Error("Connection terminated unexpectedly") }), true],
  [new Error("something else"), false],
])("%s: %s", (error, away) => {
  expect(isDatabaseAway(error)).toBe(away);
});
