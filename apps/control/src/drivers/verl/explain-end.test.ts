import { expect, it } from "vitest";
import { explain, findCause } from "#drivers/verl/explain-end.ts";

it("names the last exception, without colours and Ray's prefix", () => {
  const log = [
    "\u001b[36m(FullyAsyncRollouter pid=27020)\u001b[0m Traceback (most recent call last):",
    '\u001b[36m(FullyAsyncRollouter pid=27020)\u001b[0m   File "a.py", line 3, in run',
    "\u001b[36m(FullyAsyncRollouter pid=27020, ip=192.0.2.2)\u001b[0m RuntimeError: sandbox lost",
    "\u001b[36m(FullyAsyncTrainer pid=23430)\u001b[0m [FullyAsyncTrainer] Training stopped by queue termination signal",
  ].join("\n");
  expect(findCause(log)).toBe("RuntimeError: sandbox lost");
});

it("knows how fully_async says that its rollouts died", () => {
  const log =
    "(FullyAsyncRollouter pid=1) ValueError: x\n(FullyAsyncRollouter pid=1) [FullyAsyncRollouter] Streaming process exception: no pod";
  expect(findCause(log)).toBe("Streaming process exception: no pod");
});

it("says nothing where nothing is named", () => {
  expect(findCause("step:1 - ErrorRate:0.1\nall is well\n")).toBeNull();
  expect(findCause("")).toBeNull();
});

it("a known sign says what to do, beside the words of the log", () => {
  const log =
    "(WorkerDict pid=1) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB";
  const said = explain(log);
  expect(said).toMatch(/memory/i);
  expect(said).toContain("torch.OutOfMemoryError: CUDA out of memory.");
});
