import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { EngineCore } from "#engine/core/engine-core.ts";
import { MODEL_NAME } from "#engine/http/parse-job.ts";

const LABELS = { engine: "0", model_name: MODEL_NAME };
const SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
];

/** Metrics under vLLM's names. Gauges and counters read the engine when they are scraped. */
export class EngineMetrics {
  readonly registry = new Registry();
  readonly timeToFirstToken = this.#histogram(
    "time_to_first_token_seconds",
    "Time to the first token, seconds.",
  );
  readonly requestLatency = this.#histogram(
    "e2e_request_latency_seconds",
    "Whole request, seconds.",
  );
  readonly queueTime = this.#histogram("request_queue_time_seconds", "Time in the queue, seconds.");
  /** Requests of clients that are being answered: `/load`. */
  load = 0;

  constructor(core: EngineCore) {
    this.registry.setDefaultLabels(LABELS);
    this.#gauge("num_requests_running", "Requests in the running batch.", () => core.runningCount);
    this.#gauge("num_requests_waiting", "Requests waiting to run.", () => core.waitingCount);
    this.#gauge(
      "kv_cache_usage_perc",
      "Share of the KV cache in use, 0 to 1.",
      () => core.cacheUsage,
    );
    this.#counter(
      "prefix_cache_queries",
      "Prompt tokens looked up in the prefix cache.",
      () => core.cache.queries,
    );
    this.#counter(
      "prefix_cache_hits",
      "Prompt tokens found in the prefix cache.",
      () => core.cache.hits,
    );
    this.#counter("prompt_tokens", "Prompt tokens processed.", () => core.promptTokens);
    this.#counter("generation_tokens", "Tokens sampled.", () => core.sampledTokens);
    new Counter({
      name: "vllm:request_success_total",
      help: "Requests by finish reason.",
      labelNames: ["finished_reason"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(core.finished))
          this.inc({ finished_reason: reason }, count);
      },
    });
    core.onAdmitted = (seconds) => this.queueTime.observe(seconds);
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `vllm:${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  #counter(name: string, help: string, read: () => number): void {
    new Counter({
      name: `vllm:${name}_total`,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  #histogram(name: string, help: string): Histogram {
    return new Histogram({
      name: `vllm:${name}`,
      help,
      buckets: SECONDS,
      registers: [this.registry],
    });
  }
}
