import { expect, it } from "vitest";
import { Metrics } from "#server/metrics.ts";
import { mergeMetrics } from "#workers/merge-metrics.ts";

it("keeps each worker's samples under one head a family", async () => {
  const workers = [0, 1].map((worker) => new Metrics(worker));
  workers[0]!.forks.inc({ reason: "resample" });
  workers[1]!.forks.inc({ reason: "compaction" }, 3);
  const merged = mergeMetrics(await Promise.all(workers.map(({ registry }) => registry.metrics())));
  const forks = merged.split("\n").filter((line) => line.includes("forks_total"));
  expect(forks).toEqual([
    "# HELP liverl_proxy_forks_total Calls that did not simply go on",
    "# TYPE liverl_proxy_forks_total counter",
    'liverl_proxy_forks_total{reason="resample",worker="0"} 1',
    'liverl_proxy_forks_total{reason="compaction",worker="1"} 3',
  ]);
  const heads = merged.split("\n").filter((line) => line.startsWith("# TYPE "));
  expect(new Set(heads).size).toBe(heads.length);
  expect(heads.length).toBeGreaterThan(10);
});
