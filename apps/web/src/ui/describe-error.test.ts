import { expect, test } from "vitest";
import { describeError } from "#ui/describe-error.ts";

test("a tRPC error keeps its message and request id", () => {
  const thrown = Object.assign(new Error("No such run."), {
    data: { code: "NOT_FOUND", requestId: "7f3a" },
  });
  expect(describeError(thrown)).toEqual({
    message: "No such run.",
    requestId: "7f3a",
    signIn: false,
  });
});

test("401 says how to sign in", () => {
  const thrown = Object.assign(new Error("UNAUTHORIZED"), {
    data: { code: "UNAUTHORIZED", httpStatus: 401 },
  });
  expect(describeError(thrown).signIn).toBe(true);
});

test("a dead server is said in words, and anything else has some message", () => {
  expect(describeError(new TypeError("Failed to fetch")).message).toContain("does not answer");
  expect(describeError(undefined).message).toBe("No reason was given.");
});
