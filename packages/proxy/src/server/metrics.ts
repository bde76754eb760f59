import type { Call, GivenNode } from "@liverl/contract/trajectory";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { countLossy } from "#tree/lossy-tokens.ts";

const PREFIX = "liverl_proxy_";
/** The longest stall of the event loop is told this exactly; the timer costs 0.4 % of a core more than at 10 ms. */
const LAG_EVERY_MS = 5;
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The proxy's Prometheus series. */
export class Metrics {
  readonly registry = new Registry();
  readonly calls = this.#counter("calls_total", "Calls that ended", ["status"]);
  readonly forks = this.#counter("forks_total", "Calls that did not simply go on", ["reason"]);
  readonly retries = this.#counter("retries_total", "Calls answered from another's turn", ["kind"]);
  readonly tokensPrompt = this.#counter("prompt_tokens_total", "Prompt tokens of ended calls");
  readonly tokensSampled = this.#counter("sampled_tokens_total", "Sampled tokens of ended calls");
  readonly engineFailures = this.#counter(
    "engine_failures_total",
    "Engine requests that had to be sent again",
  );
  readonly #lossyTurns = this.#counter(
    "lossy_turns_total",
    "Assistant turns that stand in prompts by the client's text",
  );
  readonly #lossyTokens = this.#counter("lossy_tokens_total", "Tokens of such turns, where known");
  readonly recomputed = this.#counter("recomputed_tokens_total", "Such tokens sent for scoring", [
    "result",
  ]);
  readonly inFlight = new Gauge({
    name: `${PREFIX}calls_in_flight`,
    help: "Calls being answered",
    registers: [this.registry],
  });
  readonly sessions = new Gauge({
    name: `${PREFIX}sessions_open`,
    help: "Open sessions",
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: `${PREFIX}call_seconds`,
    help: "From a call's intent to its durable end",
    buckets: CALL_SECONDS,
    registers: [this.registry],
  });

  readonly refused = this.#counter("refused_total", "New calls and sessions refused", ["reason"]);
  readonly freeDisk = new Gauge({
    name: `${PREFIX}disk_free_bytes`,
    help: "Free space where the journal is",
    registers: [this.registry],
  });

  /** `worker`: its number, which labels every series; null for the only process. */
  constructor(worker: number | null = null) {
    if (worker !== null) this.registry.setDefaultLabels({ worker: String(worker) });
    collectDefaultMetrics({
      register: this.registry,
      prefix: PREFIX,
      eventLoopMonitoringPrecision: LAG_EVERY_MS,
    });
  }

  observeCall(call: Call): void {
    this.calls.inc({ status: call.status });
    this.tokensPrompt.inc(call.usage.promptTokens);
    this.tokensSampled.inc(call.usage.sampledTokens);
    if (call.endedAt)
      this.#seconds.observe((Date.parse(call.endedAt) - Date.parse(call.startedAt)) / 1000);
  }

  observeGiven(given: GivenNode): void {
    const lossy = countLossy([given]);
    if (!lossy) return;
    this.#lossyTurns.inc(lossy.turns);
    this.#lossyTokens.inc(lossy.tokens);
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }
}
