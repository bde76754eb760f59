import { LaunchSpec, launchFaults } from "@liverl/contract/launch";
import { expect, test } from "vitest";

test("each fault stands at its own value and says what to do", () => {
  const { error } = LaunchSpec.safeParse({
    driver: "embedded",
    optim: { lr: "fast", leanring_rate: 3 },
    bogus: 1,
  });
  if (error === undefined) throw new Error("this spec is none");
  const faults = new Map(launchFaults(error).map(({ path, message }) => [path, message]));
  expect(faults.get("optim.leanring_rate")).toMatch(/no value leanring_rate/);
  expect(faults.get("bogus")).toMatch(/take it out/);
  expect(faults.get("rollout")).toMatch(/^rollout is missing/);
  expect(faults.get("optim.lr")).toMatch(/expected number/);
});
