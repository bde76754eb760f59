import { expect, it } from "vitest";
import { endingOfJob } from "#drivers/verl/ending.ts";

const plan = { plannedSteps: 6, cause: null };

it("succeeds by its steps alone", () => {
  expect(endingOfJob({ ...plan, code: 0, lastStep: 6 })).toEqual({
    to: "succeeded",
    reason: "all 6 steps done",
  });
  // A shutdown that fails after the last step took nothing away.
  expect(endingOfJob({ ...plan, code: 1, lastStep: 6 }).to).toBe("succeeded");
});

it("exit code 0 is no success", () => {
  const cause = "Streaming process exception: RuntimeError";
  expect(endingOfJob({ ...plan, cause, code: 0, lastStep: 1 })).toEqual({
    to: "failed",
    reason: `verl ended with code 0 after 1 of 6 steps: ${cause}`,
    diagnosis: null,
  });
  expect(endingOfJob({ ...plan, code: null, lastStep: 0 }).reason).toBe(
    "verl was gone after 0 of 6 steps: its log says why",
  );
});
