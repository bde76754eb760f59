import { TRPCError } from "@trpc/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { viewStored } from "#database/view-stored.ts";
import { asAppError, userMessageOf } from "#errors.ts";

test("what no column can hold is the caller's fault, other faults are ours", () => {
  const ofPostgres = Object.assign(new Error("invalid byte sequence"), { code: "22021" });
  const ofPrisma = new Error("Invalid invocation:\n\nValue out of range for the type: value 1e12");
  for (const error of [ofPostgres, new Error("wrapped", { cause: ofPostgres }), ofPrisma])
    expect(asAppError(error).code).toBe("BAD_REQUEST");
  expect(asAppError(new Error("something else")).code).toBe("INTERNAL");
});

test("a stored value that does not fit is damage, which the caller did not do; an input is", () => {
  const read = () => z.object({ status: z.enum(["done"]) }).parse({ status: "made-up" });
  expect(() => read()).toThrow(z.ZodError);
  const fault = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      return asAppError(error);
    }
  };
  expect(fault(read)).toMatchObject({
    code: "INTERNAL",
    userMessage: expect.stringMatching(/is damaged: status: /),
  });
  expect(fault(() => viewStored("event 7", read))).toMatchObject({
    code: "INTERNAL",
    userMessage: expect.stringMatching(/^The stored row of event 7 is damaged: status: /),
  });
  expect(fault(() => viewStored("event 7", () => new Date(1e300).toISOString()))).toMatchObject({
    userMessage: "The stored row of event 7 is damaged: Invalid time value.",
  });
  const cause = z.string().safeParse(1).error;
  const ofInput = new TRPCError({ code: "BAD_REQUEST", cause });
  expect(asAppError(ofInput).code).toBe("BAD_REQUEST");
  expect(userMessageOf(ofInput)).toContain("expected string");
});
