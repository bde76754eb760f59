import { expect, test } from "vitest";
import { busyOf } from "#launch/verl-evidence/probe-gpus.ts";

test("what nvidia-smi says of the processes on its GPUs, each once over all of them", () => {
  const lines = [
    "812, /usr/bin/python3, 1000",
    "4242, /opt/a, b/VLLM::Worker, 40000",
    "812, /usr/bin/python3, 500",
    "77, [Not Found], [N/A]",
    "",
  ];
  expect(busyOf(lines)).toEqual([
    { pid: 4242, name: "VLLM::Worker", usedMb: 40_000 * 1.048576 },
    { pid: 812, name: "python3", usedMb: 1500 * 1.048576 },
  ]);
});
