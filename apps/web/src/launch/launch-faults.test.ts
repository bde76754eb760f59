import { LaunchSpec, launchFaults } from "@liverl/contract/launch";
import { expect, test } from "vitest";

test("each fault stands at its own value and says what to do", () => {
  const { error } = LaunchSpec.safeParse({
    driver: "embedded",
    optim: { lr: "fast", leanring_rate: 3, grad_clip: 0 },
    batch: { n: 0, train_batch_size: 2.5 },
    rollout: { engines: 9 },
    algorithm: { trainer_mode: "later" },
    bogus: 1,
  });
  if (error === undefined) throw new Error("this spec is none");
  const faults = new Map(launchFaults(error).map(({ path, message }) => [path, message]));
  expect(faults.get("optim.leanring_rate")).toMatch(/no value leanring_rate/);
  expect(faults.get("bogus")).toMatch(/take it out/);
  expect(faults.get("trainer")).toMatch(/^trainer is missing/);
  expect(faults.get("optim.lr")).toBe("optim.lr must be a number.");
  expect(faults.get("optim.grad_clip")).toBe("optim.grad_clip must be above 0.");
  expect(faults.get("batch.n")).toBe("batch.n must be at least 1.");
  expect(faults.get("batch.train_batch_size")).toBe(
    "batch.train_batch_size must be a whole number.",
  );
  expect(faults.get("rollout.engines")).toBe("rollout.engines must be at most 4.");
  expect(faults.get("algorithm.trainer_mode")).toBe(
    "algorithm.trainer_mode must be sync or fully_async.",
  );
});
