import type { ServerResponse } from "node:http";
import type { CallContext } from "#calls/call-context.ts";
import { ModelError } from "#dialects/model-error.ts";
import { sendJson } from "#server/http-exchange.ts";
import type { Session } from "#sessions/session.ts";

/** `GET /v1/models` and `/v1/models/ID`: one object that both OpenAI's and Anthropic's clients read. */
export function answerModels(
  ctx: CallContext,
  session: Session,
  wanted: string,
  response: ServerResponse,
): void {
  const { modelName, maxModelLen } = ctx.store.pools.get(session.open.poolId).config;
  const model = {
    id: modelName,
    object: "model",
    created: 0,
    owned_by: "liverl",
    max_model_len: maxModelLen,
    type: "model",
    display_name: modelName,
    created_at: "1970-01-01T00:00:00Z",
  };
  if (wanted !== "" && wanted !== encodeURIComponent(modelName))
    throw new ModelError("not-found", `This session's model is ${modelName}.`, {
      code: "model_not_found",
    });
  const page = { has_more: false, first_id: modelName, last_id: modelName };
  const list = { object: "list", data: [model], ...page };
  sendJson(response, 200, wanted === "" ? list : model);
}
