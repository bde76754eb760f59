import type { Call, GivenNode, LossyTurn, Message } from "@liverl/contract/trajectory";
import type { AskedCall } from "#calls/asked-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import { planSampling, type SamplingPlan } from "#calls/plan-sampling.ts";
import { renderGiven } from "#calls/render-given.ts";
import { ModelError } from "#dialects/model-error.ts";
import type { Renderer } from "#renderer/renderer.ts";
import type { ToolDefinitions } from "#renderer/template-values.ts";
import { sentBodyOf } from "#sessions/sent-body.ts";
import { type CallEntry, type Session, templateKeyOf } from "#sessions/session.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";
import { type Standing, standingOf } from "#tree/fork-reason.ts";
import { type Match, messagesOf, type Place, pathTo } from "#tree/session-tree.ts";

/** A call whose prompt is in the tree and whose intent is durable. */
export interface BegunCall {
  session: Session;
  renderer: Renderer;
  asked: AskedCall;
  tools: ToolDefinitions | null;
  entry: CallEntry;
  prompt: Place;
  sampling: SamplingPlan;
}

/** The conversation of a call: its own messages, after those of the call that it goes on with. */
interface Conversation {
  messages: readonly Message[];
  keys: readonly string[];
}

/** Finds where the messages go on from, renders what is new, and makes the intent durable. */
export async function beginCall(
  ctx: CallContext,
  session: Session,
  asked: AskedCall,
): Promise<BegunCall> {
  const { request, origin } = asked;
  const pool = ctx.store.pools.get(session.open.poolId);
  const renderer = await (await pool.renderer()).withValues(asked.templateValues);
  const tools = toolsOf(session, asked);
  const { messages, keys } = conversationOf(session, asked);
  const window = pool.config.maxModelLen;
  // What can not fit by far is not rendered first: that would hold up every other session.
  const least = renderer.leastTokens(messages);
  if (least > window) throw ModelError.contextOverflow(window, least);
  const { subagent, taskStep } = origin;
  const templateKey = templateKeyOf(asked.templateValues);
  const line = { toolsKey: request.toolsKey, templateKey, subagent, taskStep };
  const found = session.tree.match(messages, keys, line);
  const { match, givenIds, lossyTurns, declared } = await renderGiven(
    renderer,
    session.tree,
    found,
    {
      messages,
      keys,
      tools,
    },
  );
  const rest = messages.slice(match.messages);
  const { held } = match;
  const restKeys = keys.slice(match.messages);

  // From here to the intent nothing waits: calls of one session may run side by side.
  if (session.end)
    throw new ModelError("session-over", "The session was completed.", {
      code: "session_complete",
    });
  const repeated = session.tree.findGiven(held, restKeys, line);
  const asRead = standingOf(session.tree, match, {
    ...line,
    messages,
    keys,
    hasTools: request.hasTools,
    wantsDocument: request.wantsDocument,
    isCompaction: origin.isCompaction,
    isRepeat: asked.repeats !== null,
    wasAborted: (callId) => session.calls.get(callId)?.call.status === "aborted",
    isAborting: (nodeId) =>
      [...session.turns].some(
        ({ call, controller }) => call?.promptNodeId === nodeId && controller.signal.aborted,
      ),
  });
  const standing = declared && !repeated ? declared : asRead;
  const given = repeated
    ? null
    : buildGiven(session.tree.takeId(), { held, rest, givenIds, lossyTurns }, standing);
  const promptTokens = (held?.end ?? 0) + givenIds.length;
  const callId = session.takeCallId();
  const sampling = planSampling(session.open, request, {
    callId,
    promptTokens,
    window,
    stopIds: renderer.stopIds,
  });
  const promptNodeId = repeated?.node.id ?? given?.id ?? null;
  const call = newCall(session, asked, {
    callId,
    promptNodeId,
    promptTokens,
    standing,
    match,
    sampling,
  });
  if (promptTokens >= window) {
    await refuseOverflow(ctx, session, asked, call);
    throw ModelError.contextOverflow(window, promptTokens);
  }
  const entry = await recordIntent(ctx, session, asked, { call, given, keys: restKeys });
  if (standing.fork) ctx.metrics.forks.inc({ reason: standing.fork.reason });
  const prompt = session.tree.get(promptNodeId ?? -1);
  return { session, renderer, asked, tools, entry, prompt, sampling };
}

/** One text of definitions for all calls of a session that mean the same. */
function toolsOf(session: Session, { request }: AskedCall): ToolDefinitions | null {
  const held = session.tools.get(request.toolsKey);
  if (held !== undefined) return held;
  const tools = request.readTools();
  session.tools.set(request.toolsKey, tools);
  return tools;
}

/** Throws ModelError where the call to go on with is not known. */
function conversationOf(session: Session, { request }: AskedCall): Conversation {
  const { continues, messages, keys } = request;
  if (continues === null) return { messages, keys };
  const nodeId = session.calls.get(continues)?.call.sampledNodeId;
  if (nodeId === null || nodeId === undefined)
    throw new ModelError("invalid", "There is no such response in this session.", {
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  const before = pathTo(session.tree.get(nodeId)).flatMap(({ node }) => messagesOf(node));
  // New instructions stand in the place of the old ones.
  const kept =
    messages[0]?.role === "system" && before[0]?.role === "system" ? before.slice(1) : before;
  const head = kept === before ? [] : messages.slice(0, 1);
  const whole = [...head, ...kept, ...messages.slice(head.length)];
  return { messages: whole, keys: whole.map(canonicalMessage) };
}

function buildGiven(
  id: number,
  {
    held,
    rest,
    givenIds,
    lossyTurns,
  }: {
    held: Place | null;
    rest: readonly Message[];
    givenIds: readonly number[];
    lossyTurns: LossyTurn[];
  },
  { fork, linkedFrom }: Standing,
): GivenNode {
  const [only, ...more] = rest;
  return {
    id,
    parentId: held?.node.id ?? null,
    kind: "given",
    role: rest.at(-1)?.role ?? "assistant",
    message: only && more.length === 0 ? only : [...rest],
    tokenIds: [...givenIds],
    reason: fork?.reason ?? null,
    linkedFrom,
    ...(lossyTurns.length > 0 && { lossyTurns }),
  };
}

function newCall(
  session: Session,
  asked: AskedCall,
  {
    callId,
    promptNodeId,
    promptTokens,
    standing,
    match,
    sampling,
  }: {
    callId: number;
    promptNodeId: number | null;
    promptTokens: number;
    standing: Standing;
    match: Match;
    sampling: SamplingPlan;
  },
): Call {
  const { request, origin, dialect } = asked;
  const requestId = `${session.id}-c${callId}-0`;
  return {
    id: callId,
    requestId,
    // Named before it is sent: a call that a crash cuts off still names its request.
    requestIds: [requestId],
    dialect: dialect.id,
    kind: standing.kind,
    subagent: origin.subagent,
    ...(origin.taskStep !== null && { taskStep: origin.taskStep }),
    rewritten: match.rewritten,
    promptNodeId,
    sampledNodeId: null,
    status: "incomplete",
    stopReason: null,
    stopText: null,
    startedAt: new Date().toISOString(),
    sentAt: null,
    firstTokenAt: null,
    endedAt: null,
    sampling: { ...sampling },
    requested: request.requested,
    ...(asked.templateValues && { templateValues: asked.templateValues }),
    ...(request.ignored.length > 0 && { ignored: [...request.ignored] }),
    usage: { promptTokens, sampledTokens: 0 },
    fork: standing.fork,
    ...(asked.repeats !== null && { repeats: asked.repeats }),
    error: null,
  };
}

/** In the tree at once, so that the next call finds it; taken back where it can not be made durable. */
async function recordIntent(
  ctx: CallContext,
  session: Session,
  { request, body, digest }: AskedCall,
  { call, given, keys }: { call: Call; given: GivenNode | null; keys: readonly string[] },
): Promise<CallEntry> {
  const sent = sentBodyOf(body);
  const intent = { call, digest, toolsKey: request.toolsKey, given, body: sent };
  session.recordIntent(intent, keys);
  body.callId = call.id;
  try {
    const toolsKey = given?.parentId === null ? request.toolsKey : "";
    await ctx.store.append({ t: "intent", s: session.id, ...intent, toolsKey });
  } catch (error) {
    session.calls.delete(call.id);
    body.callId = null;
    if (given) session.tree.remove(session.tree.get(given.id));
    throw error;
  }
  if (given) ctx.metrics.observeGiven(given);
  const entry = session.calls.get(call.id) ?? { call, digest, body: sent, answers: [] };
  entry.call = { ...entry.call, sentAt: new Date().toISOString() };
  return entry;
}

/** The prompt does not fit: recorded without its node, since nothing can ever hang below it. */
async function refuseOverflow(
  ctx: CallContext,
  session: Session,
  asked: AskedCall,
  call: Call,
): Promise<void> {
  const begun = { ...call, requestIds: [], promptNodeId: null };
  await recordIntent(ctx, session, asked, { call: begun, given: null, keys: [] });
  const refused: Call = {
    ...begun,
    status: "error",
    endedAt: new Date().toISOString(),
    error: "context_length_exceeded",
  };
  await ctx.store.append({ t: "commit", s: session.id, call: refused, sampled: null });
  session.recordCommit({ call: refused, sampled: null });
  ctx.metrics.calls.inc({ status: "error" });
}
