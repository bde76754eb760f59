import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallContext } from "#calls/call-context.ts";
import { planTemplate } from "#calls/plan-template.ts";
import { renderGiven } from "#calls/render-given.ts";
import { anthropicMessages } from "#dialects/anthropic-messages/anthropic-messages.ts";
import { readBodyInTurns } from "#dialects/body/read-body.ts";
import { originOf } from "#dialects/origin.ts";
import { readBody, sendJson } from "#server/http-exchange.ts";
import { type Session, templateKeyOf } from "#sessions/session.ts";

/**
 * `POST /v1/messages/count_tokens`: the length that the prompt would have if it were sent now, with system, tools and the
 * generation prompt. Nothing is recorded.
 */
export async function countTokens(
  ctx: CallContext,
  session: Session,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await readBody(request);
  const known = session.bodies.get(anthropicMessages.id) ?? [];
  const body = await readBodyInTurns(bytes, anthropicMessages, known, () => ctx.turnstile.pass());
  const { request: asked } = anthropicMessages.parse(body);
  const pool = ctx.store.pools.get(session.open.poolId);
  const { values } = await planTemplate(pool, session, asked.templateWishes);
  const renderer = await (await pool.renderer()).withValues(values);
  const least = renderer.leastTokens(asked.messages);
  if (least > pool.config.maxModelLen) return sendJson(response, 200, { input_tokens: least });
  const { subagent, taskStep } = originOf(request.headers);
  const templateKey = templateKeyOf(values);
  const line = { toolsKey: asked.toolsKey, templateKey, subagent, taskStep };
  const found = session.tree.match(asked.messages, asked.keys, line);
  const { match, givenIds } = await renderGiven(renderer, session.tree, found, {
    messages: asked.messages,
    keys: asked.keys,
    tools: asked.readTools(),
  });
  sendJson(response, 200, { input_tokens: (match.held?.end ?? 0) + givenIds.length });
}
