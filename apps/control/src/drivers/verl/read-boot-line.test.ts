import { expect, it } from "vitest";
import { readBootLine } from "#drivers/verl/read-boot-line.ts";

/** Lines of real runs of verl 0.9.1. */
const LINES: [line: string, phase: string | null][] = [
  ["2026-11-22 22:26:11,189\tINFO worker.py:2038 -- Started a local Ray instance.", "ray"],
  ["\u001b[36m(TaskRunnerV1 pid=11110)\u001b[0m 'enable_resource_pool': False,", null],
  [
    "\u001b[36m(WorkerDict pid=11304)\u001b[0m [Gloo] Rank 0 is connected to 0 peer ranks.",
    "placement",
  ],
  [
    "\u001b[36m(WorkerDict pid=11304)\u001b[0m Qwen2ForCausalLM contains 154.05K parameters",
    "model",
  ],
  [
    "\u001b[36m(vLLMHttpServer pid=9)\u001b[0m Graph capturing finished in 21 secs, took 0.50 GiB",
    "graphs",
  ],
  ["\u001b[36m(TaskRunnerV1 pid=11110)\u001b[0m LLMServerManager: ['192.0.2.2:38147']", "engines"],
  [
    "(AgentLoopWorkerTQ pid=1) joined LiveRL's proxy at http://127.0.0.1:1 as vm-1 for run-01",
    "proxy",
  ],
  ["(TaskRunnerV1 pid=1) step:0 - val-core/liverl/repair/acc/mean@1:np.float64(0.0)", null],
  [
    "(TaskRunnerV1 pid=1) step:1 - global_seqlen/min:555.0 - actor/pg_loss:np.float64(0.1)",
    "update",
  ],
  ["(FullyAsyncTrainer pid=1) step:0 - fully_async/rollouter/idle_ratio:0", null],
  ["(FullyAsyncTrainer pid=1) step:2 - training/global_step:3.0 - training/epoch:0.0", "update"],
];

it.each(LINES)("%s", (line, phase) => {
  expect(readBootLine(line)).toBe(phase);
});
