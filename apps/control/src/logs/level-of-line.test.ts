import { expect, test } from "vitest";
import { levelOfLine } from "#logs/level-of-line.ts";

// Lines of verl 0.9.1, Ray 2.58, vLLM 0.32, torch 2.9 and loguru as they print them.
test.each([
  ["(TaskRunnerV1 pid=6438) INFO:2026-11-20 20:51:28,522:Saving checkpoint to /data/x", "info"],
  ["(AgentLoopWorkerTQ pid=5002) ERROR:2026-11-20 20:55:26,545:Error in _run_prompt", "error"],
  ["2026-11-22 10:00:00,123\tINFO worker.py:2038 -- Started a local Ray instance.", "info"],
  ["2026-11-22 10:00:00,123\tWARNING services.py:2148 -- /dev/shm is small", "warn"],
  [
    "(EngineCore pid=31, ip=10.0.0.2) ERROR 11-05 12:00:00 [core.py:900] EngineCore failed",
    "error",
  ],
  ["WARNING 11-05 12:00:00 [config.py:1] enforce_eager", "warn"],
  ["WARNING:root:nothing is evaluated", "warn"],
  ["[2026-11-20 20:51:28,522][verl.trainer][DEBUG] - a batch", "debug"],
  ["[2026-11-20 20:51:28,522] [CRITICAL] gone", "fatal"],
  ["2026-11-20 20:51:28.522 | WARNING  | agent.main:run:12 - late", "warn"],
  ["[rank0]: Traceback (most recent call last):", "error"],
  ['(WorkerDict pid=1)   File "/x/core.py", line 12, in step', "error"],
  ["(WorkerDict pid=1) torch.OutOfMemoryError: CUDA out of memory.", "error"],
  ["ray.exceptions.RayTaskError(RuntimeError): ray::Worker.run() (pid=1)", "error"],
  ["[W1120 20:51:28.522 ProcessGroupNCCL.cpp:1] slow", "warn"],
  ["E0000 00:00:00.1 12 grpc.cc:1] no", "error"],
  ["/venv/lib/x.py:12: UserWarning: deprecated", "warn"],
  ["step:3 - actor/pg_loss:0.1", "unknown"],
  ["Informational text about ERRORS that are none", "unknown"],
  ["Exception handling is on", "unknown"],
  ["", "unknown"],
])("%s is %s", (line, level) => {
  expect(levelOfLine(line)).toBe(level);
});
