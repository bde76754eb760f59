import { UpdateWeights } from "@liverl/contract/engine-api";
import { z } from "zod";
import type { EngineContext } from "#engine/engine-context.ts";
import { EngineError, invalidRequest } from "#engine/http/engine-error.ts";
import { MODEL_NAME } from "#engine/http/parse-job.ts";
import { readParameters } from "#safetensors/read-parameters.ts";

/** vLLM's version whose API this engine follows. */
const API_VERSION = "0.32.0";

const Mode = z.enum(["abort", "keep", "wait"]);
const AbortRequests = z.object({ request_ids: z.array(z.string()).nullish() });

type Endpoint = (
  ctx: EngineContext,
  body: unknown,
  query: URLSearchParams,
) => Promise<unknown> | unknown;

export async function updateWeights(ctx: EngineContext, body: unknown): Promise<unknown> {
  const parsed = UpdateWeights.safeParse(body);
  if (!parsed.success)
    throw invalidRequest("body.update_info", parsed.error.issues[0]?.message ?? "invalid");
  const { path, version, mode } = parsed.data.update_info;
  // Read before anything is interrupted: a bad file leaves the engine as it was.
  const parameters = await readParameters(path, ctx.config);
  await ctx.core.updateWeights(parameters, version, mode);
  ctx.logger.info({ version, mode }, "weights updated");
  return { message: "Weights updated", weight_version: String(version) };
}

function abortRequests(ctx: EngineContext, body: unknown): { status: string; aborted: number } {
  const parsed = AbortRequests.safeParse(body ?? {});
  if (!parsed.success) throw invalidRequest("body.request_ids", "Input should be a valid list");
  const ids = parsed.data.request_ids;
  if (!ids) return { status: "aborted", aborted: ctx.core.abortRequests(() => true) };
  const wanted = new Set(ids);
  ctx.core.abortRequests(
    ({ requestId }) =>
      wanted.has(`generate-tokens-${requestId}`) || wanted.has(`cmpl-${requestId}-0`),
  );
  // vLLM counts the ids that were sent, whether or not it knows them.
  return { status: "aborted", aborted: ids.length };
}

async function pause(ctx: EngineContext, query: URLSearchParams): Promise<unknown> {
  const mode = Mode.safeParse(query.get("mode") ?? "abort");
  if (!mode.success)
    throw new EngineError(400, "Bad Request", "mode must be abort, keep or wait", "query.mode");
  await ctx.core.pause(mode.data);
  return { status: "paused" };
}

function models(ctx: EngineContext): unknown {
  const created = Math.floor(ctx.startedAt.getTime() / 1000);
  const model = {
    id: MODEL_NAME,
    object: "model",
    created,
    owned_by: "liverl",
    root: MODEL_NAME,
    parent: null,
    max_model_len: ctx.config.max_position_embeddings,
    permission: [],
  };
  return { object: "list", data: [model] };
}

/** Endpoints that answer one JSON body: `METHOD path` → handler. */
export const CONTROL_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET /load": (ctx) => ({ server_load: ctx.metrics.load }),
  "GET /version": () => ({ version: API_VERSION }),
  "GET /v1/models": (ctx) => models(ctx),
  "GET /weight_info": (ctx) => ({
    weight_version: ctx.core.version === null ? "default" : String(ctx.core.version),
  }),
  "GET /is_paused": (ctx) => ({ is_paused: ctx.core.isPaused }),
  "POST /pause": (ctx, _body, query) => pause(ctx, query),
  "POST /resume": (ctx) => {
    ctx.core.resume();
    return { status: "resumed" };
  },
  "POST /abort_requests": (ctx, body) => abortRequests(ctx, body),
  "POST /inference/v1/abort_requests": (ctx, body) => abortRequests(ctx, body),
  "POST /update_weights": (ctx, body) => updateWeights(ctx, body),
};
