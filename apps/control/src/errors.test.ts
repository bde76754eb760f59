import { expect, test } from "vitest";
import { asAppError } from "#errors.ts";

test("what no column can hold is the caller's fault, other faults are ours", () => {
  const ofPostgres = Object.assign(new Error("invalid byte sequence"), { code: "22021" });
  const ofPrisma = new Error("Invalid invocation:\n\nValue out of range for the type: value 1e12");
  for (const error of [ofPostgres, new Error("wrapped", { cause: ofPostgres }), ofPrisma])
    expect(asAppError(error).code).toBe("BAD_REQUEST");
  expect(asAppError(new Error("something else")).code).toBe("INTERNAL");
});
