import { join, resolve } from "node:path";
import { readJson } from "@liverl/durable/atomic-file";
import { loadOrCreateToken } from "@liverl/durable/http-token";
import type { Logger } from "pino";
import { EngineCore } from "#engine/core/engine-core.ts";
import { Network } from "#engine/core/network.ts";
import type { EngineContext } from "#engine/engine-context.ts";
import { EngineLog } from "#engine/engine-log.ts";
import { EngineMetrics } from "#engine/engine-metrics.ts";
import { readModelFolder } from "#model/read-model-folder.ts";
import { readParameters } from "#safetensors/read-parameters.ts";
import { TokenText } from "#tokenizer/token-text.ts";
import { CurrentWeights } from "#weights/current-weights.ts";

const LIMITS = { slots: 64, cachedPrefixes: 256 };

/** Opens what an engine serves: the model of the run's folder and, where they exist, its current weights. */
export async function startEngine(
  runDirectory: string,
  index: number,
  logger: Logger,
): Promise<EngineContext> {
  const { config, tokenizerText } = await readModelFolder(join(runDirectory, "model"));
  const core = new EngineCore(await Network.open(config, 1), LIMITS);
  const weightsDirectory = join(runDirectory, "weights");
  const current = await readJson(join(weightsDirectory, "current.json"), CurrentWeights);
  if (current) {
    const parameters = await readParameters(resolve(weightsDirectory, current.path), config);
    await core.updateWeights(parameters, current.version, "keep");
    logger.info({ version: current.version }, "weights loaded");
  }
  return {
    core,
    config,
    text: new TokenText(tokenizerText),
    log: await EngineLog.open(join(runDirectory, `engine-${index}.jsonl`)),
    metrics: new EngineMetrics(core),
    logger,
    apiKey: await loadOrCreateToken(join(runDirectory, "engine.key")),
    startedAt: new Date(),
  };
}
