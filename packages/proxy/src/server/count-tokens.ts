import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallContext } from "#calls/call-context.ts";
import { anthropicMessages } from "#dialects/anthropic-messages/anthropic-messages.ts";
import { readBody as readJsonBody } from "#dialects/body/read-body.ts";
import { originOf } from "#dialects/origin.ts";
import { readBody, sendJson } from "#server/http-exchange.ts";
import type { Session } from "#sessions/session.ts";
import { pathTo } from "#tree/session-tree.ts";

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
  const body = readJsonBody(
    await readBody(request),
    anthropicMessages,
    session.bodies.get(anthropicMessages.id) ?? [],
  );
  const { request: asked } = anthropicMessages.parse(body);
  const renderer = await ctx.store.pools.get(session.open.poolId).renderer();
  const line = { toolsKey: asked.toolsKey, subagent: originOf(request.headers).subagent };
  const { held, messages } = session.tree.match(asked.messages, asked.keys, line);
  const rest = asked.messages.slice(messages);
  const tools = asked.readTools();
  const added = held
    ? await renderer.renderSuffix(rest, tools, held.node.tokenIds.at(-1) === renderer.closeId)
    : await renderer.renderRoot(rest, tools);
  const before = pathTo(held).reduce((sum, { node }) => sum + node.tokenIds.length, 0);
  sendJson(response, 200, { input_tokens: before + added.length });
}
