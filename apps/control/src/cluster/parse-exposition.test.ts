import { expect, it } from "vitest";
import { parseExposition, vllmName } from "#cluster/parse-exposition.ts";

it("reads names, labels with escapes, and values; comments and nonsense are left", () => {
  const text = [
    "# HELP vllm:num_requests_running Running.",
    "# TYPE vllm:num_requests_running gauge",
    'vllm:num_requests_running{model_name="a \\"b\\" \\\\ c",engine="0"} 3.0',
    "up 1 1395066363000",
    'x_bucket{le="+Inf"} +Inf',
    "not a sample",
    "",
  ].join("\n");
  expect(parseExposition(text)).toEqual([
    {
      name: "vllm:num_requests_running",
      labels: { model_name: 'a "b" \\ c', engine: "0" },
      value: 3,
    },
    { name: "up", labels: {}, value: 1 },
  ]);
});

it.each([
  ["vllm:generation_tokens_total", "generation_tokens"],
  ["ray_vllm_num_requests_waiting", "num_requests_waiting"],
  ["vllm:gpu_cache_usage_perc", "kv_cache_usage_perc"],
  ["process_cpu_seconds_total", null],
])("%s is vLLM's %s", (name, wanted) => {
  expect(vllmName(name)).toBe(wanted);
});
