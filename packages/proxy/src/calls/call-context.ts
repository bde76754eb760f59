import type { Logger } from "pino";
import type { Turnstile } from "#calls/turnstile.ts";
import type { Metrics } from "#server/metrics.ts";
import type { SessionStore } from "#sessions/session-store.ts";

/** What every call needs of its process. */
export interface CallContext {
  store: SessionStore;
  metrics: Metrics;
  log: Logger;
  turnstile: Turnstile;
}
