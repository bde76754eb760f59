import { AppError } from "@liverl/contract/app-error";
import type { Call, GivenNode, Message } from "@liverl/contract/trajectory";
import type { CallContext } from "#calls/call-context.ts";
import type { ChatRequest } from "#calls/chat-request.ts";
import { planSampling, type SamplingPlan } from "#calls/plan-sampling.ts";
import type { Renderer } from "#renderer/renderer.ts";
import { OpenAiError } from "#server/openai-error.ts";
import type { CallEntry, Session } from "#sessions/session.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";
import { type Fork, forkOf, kindOf } from "#tree/fork-reason.ts";
import type { Place } from "#tree/session-tree.ts";

/** A call whose prompt is in the tree and whose intent is durable. */
export interface BegunCall {
  session: Session;
  renderer: Renderer;
  request: ChatRequest;
  entry: CallEntry;
  prompt: Place;
  promptIds: readonly number[];
  sampling: SamplingPlan;
}

/** Finds where the messages go on from, renders what is new, and makes the intent durable. */
export async function beginCall(
  ctx: CallContext,
  session: Session,
  request: ChatRequest,
  digest: string,
): Promise<BegunCall> {
  const pool = ctx.store.pools.get(session.open.poolId);
  const renderer = await pool.renderer();
  if (!session.tools.has(request.toolsKey))
    session.tools.set(request.toolsKey, request.readTools());
  const tools = session.tools.get(request.toolsKey) ?? null;
  const keys = request.messages.map(canonicalMessage);
  const match = session.tree.match(request.messages, keys, request.toolsKey);
  const rest = request.messages.slice(match.messages);
  const held = match.held;
  const givenIds = held
    ? await renderer.renderSuffix(rest, tools, held.node.tokenIds.at(-1) === renderer.closeId)
    : await renderer.renderRoot(rest, tools);

  // From here to the intent nothing waits: calls of one session may run side by side.
  if (session.end) throw new AppError("CONFLICT", { userMessage: "The session is complete." });
  const fork = forkOf(session.tree, match, { ...request, keys });
  const heldCall =
    held?.node.kind === "sampled" ? session.calls.get(held.node.callId)?.call : undefined;
  const repeated = session.tree.findGiven(held, keys.slice(match.messages), request.toolsKey);
  const given: GivenNode | null = repeated
    ? null
    : buildGiven(session.tree.takeId(), held, rest, givenIds, fork);
  const promptIds = [...session.tree.pathIds(held), ...givenIds];
  const window = pool.config.maxModelLen;
  const callId = session.takeCallId();
  const sampling = planSampling(session.open, request, {
    callId,
    promptTokens: promptIds.length,
    window,
    stopIds: renderer.stopIds,
  });
  const promptNodeId = repeated?.node.id ?? given?.id ?? null;
  const call = newCall(session, {
    callId,
    kind: kindOf(fork, heldCall?.kind ?? null),
    promptNodeId,
    promptTokens: promptIds.length,
    fork,
    sampling,
    request,
  });

  if (promptIds.length >= window) {
    await refuseOverflow(ctx, session, call, fork);
    throw OpenAiError.contextOverflow(window, promptIds.length);
  }
  session.recordIntent({ call, digest, toolsKey: request.toolsKey, given });
  const prompt = session.tree.get(promptNodeId ?? -1);
  try {
    await ctx.store.append({
      t: "intent",
      s: session.id,
      call,
      digest,
      toolsKey: given?.parentId === null ? request.toolsKey : "",
      given,
    });
  } catch (error) {
    session.calls.delete(call.id);
    if (given) session.tree.remove(prompt);
    throw error;
  }
  if (fork) ctx.metrics.forks.inc({ reason: fork.reason });
  const entry = session.calls.get(call.id) ?? { call, digest, delivered: false };
  return { session, renderer, request, entry, prompt, promptIds, sampling };
}

function buildGiven(
  id: number,
  held: Place | null,
  rest: readonly Message[],
  tokenIds: readonly number[],
  fork: Fork | null,
): GivenNode {
  const [only, ...more] = rest;
  return {
    id,
    parentId: held?.node.id ?? null,
    kind: "given",
    role: rest.at(-1)?.role ?? "assistant",
    message: only && more.length === 0 ? only : [...rest],
    tokenIds: [...tokenIds],
    reason: fork?.reason ?? null,
  };
}

function newCall(
  session: Session,
  {
    callId,
    kind,
    promptNodeId,
    promptTokens,
    fork,
    sampling,
    request,
  }: {
    callId: number;
    kind: Call["kind"];
    promptNodeId: number | null;
    promptTokens: number;
    fork: Fork | null;
    sampling: SamplingPlan;
    request: ChatRequest;
  },
): Call {
  return {
    id: callId,
    requestId: `${session.id}-c${callId}-0`,
    requestIds: [],
    dialect: "openai-chat",
    kind,
    promptNodeId,
    sampledNodeId: null,
    status: "incomplete",
    stopReason: null,
    startedAt: new Date().toISOString(),
    firstTokenAt: null,
    endedAt: null,
    sampling: { ...sampling },
    requested: request.requested,
    usage: { promptTokens, sampledTokens: 0 },
    fork,
    error: null,
  };
}

/** The prompt does not fit: recorded without its node, since nothing can ever hang below it. */
async function refuseOverflow(
  ctx: CallContext,
  session: Session,
  call: Call,
  fork: Fork | null,
): Promise<void> {
  const refused: Call = {
    ...call,
    promptNodeId: null,
    fork,
    status: "error",
    endedAt: new Date().toISOString(),
    error: "context_length_exceeded",
  };
  await ctx.store.append({ t: "commit", s: session.id, call: refused, sampled: null });
  session.recordCommit({ call: refused, sampled: null });
  ctx.metrics.calls.inc({ status: "error" });
}
