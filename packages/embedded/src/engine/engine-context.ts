import type { Logger } from "pino";
import type { EngineCore } from "#engine/core/engine-core.ts";
import type { EngineLog } from "#engine/engine-log.ts";
import type { EngineMetrics } from "#engine/engine-metrics.ts";
import type { ModelConfig } from "#model/architecture.ts";
import type { TokenText } from "#tokenizer/token-text.ts";

/** What the engine's endpoints share. */
export interface EngineContext {
  core: EngineCore;
  config: ModelConfig;
  text: TokenText;
  log: EngineLog;
  metrics: EngineMetrics;
  logger: Logger;
  apiKey: string;
  startedAt: Date;
}
