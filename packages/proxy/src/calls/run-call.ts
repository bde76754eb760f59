import { createHash } from "node:crypto";
import { AppError } from "@liverl/contract/app-error";
import type { Call, GivenNode, Message, SampledNode } from "@liverl/contract/trajectory";
import type { Logger } from "pino";
import { EngineAway, EngineRefusal } from "#backends/inference-backend.ts";
import type { CommittedTurn } from "#calls/build-completion.ts";
import type { ChatRequest } from "#calls/chat-request.ts";
import { planSampling, type SamplingPlan } from "#calls/plan-sampling.ts";
import { SampledTokens } from "#calls/sampled-tokens.ts";
import { sampleTurn } from "#calls/sample-turn.ts";
import type { Renderer } from "#renderer/renderer.ts";
import { OpenAiError } from "#server/openai-error.ts";
import type { Metrics } from "#server/metrics.ts";
import type { CallEntry, Session } from "#sessions/session.ts";
import type { SessionStore } from "#sessions/session-store.ts";
import { canonicalMessage } from "#tree/canonical-message.ts";
import { type Fork, forkOf, kindOf } from "#tree/fork-reason.ts";
import type { Place } from "#tree/session-tree.ts";

export interface CallContext {
  store: SessionStore;
  metrics: Metrics;
  log: Logger;
}

/** A call whose prompt is in the tree and whose intent is durable. */
interface BegunCall {
  session: Session;
  renderer: Renderer;
  request: ChatRequest;
  entry: CallEntry;
  prompt: Place;
  promptIds: readonly number[];
  sampling: SamplingPlan;
}

/**
 * One atomic turn: intent on disk, sample, node on disk, and only then does the caller get the answer.
 * `began` is called once the prompt is accepted, when a stream may open. Throws OpenAiError.
 */
export async function runCall(
  ctx: CallContext,
  session: Session,
  { request, digest, signal, began }: { request: ChatRequest; digest: string; signal: AbortSignal; began: () => void },
): Promise<CommittedTurn> {
  const begun = await beginCall(ctx, session, request, digest);
  began();
  const sampled = new SampledTokens();
  try {
    const { stopReason, cutText, replica } = await sampleTurn({
      engines: () => ctx.store.pools.get(session.open.poolId).engines,
      requestPrefix: requestPrefix(session, begun.entry.call),
      promptIds: begun.promptIds,
      sampling: begun.sampling,
      stop: request.stop,
      cacheSalt: session.open.runId ?? session.open.poolId,
      streamText: () => begun.renderer.streamText(),
      preferred: session.replica,
      signal,
      onFailure: (error) => {
        ctx.metrics.engineFailures.inc();
        ctx.log.warn({ session: session.id, call: begun.entry.call.id, why: error.message }, "engine failed, sampling again");
      },
      sampled,
    });
    session.replica = replica;
    return await commitDone(ctx, begun, sampled, stopReason, cutText);
  } catch (error) {
    throw await commitFailure(ctx, begun, sampled, signal, error);
  }
}

const requestPrefix = (session: Session, call: Call) => `${session.id}-c${call.id}-`;

async function beginCall(ctx: CallContext, session: Session, request: ChatRequest, digest: string): Promise<BegunCall> {
  const pool = ctx.store.pools.get(session.open.poolId);
  const renderer = await pool.renderer();
  if (!session.tools.has(request.toolsKey)) session.tools.set(request.toolsKey, request.readTools());
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
  const heldCall = held?.node.kind === "sampled" ? session.calls.get(held.node.callId)?.call : undefined;
  const repeated = session.tree.findGiven(held, keys.slice(match.messages), request.toolsKey);
  const given: GivenNode | null = repeated ? null : buildGiven(session.tree.takeId(), held, rest, givenIds, fork);
  const promptIds = [...session.tree.pathIds(held), ...givenIds];
  const window = pool.config.maxModelLen;
  const callId = session.takeCallId();
  const sampling = planSampling(session.open, request, { callId, promptTokens: promptIds.length, window, stopIds: renderer.stopIds });
  const promptNodeId = repeated?.node.id ?? given?.id ?? null;
  const call = newCall(session, { callId, kind: kindOf(fork, heldCall?.kind ?? null), promptNodeId, promptTokens: promptIds.length, fork, sampling, request });

  if (promptIds.length >= window) {
    await refuseOverflow(ctx, session, call, fork);
    throw OpenAiError.contextOverflow(window, promptIds.length);
  }
  session.recordIntent({ call, digest, toolsKey: request.toolsKey, given });
  const prompt = session.tree.get(promptNodeId ?? -1);
  try {
    await ctx.store.append({ t: "intent", s: session.id, call, digest, toolsKey: given?.parentId === null ? request.toolsKey : "", given });
  } catch (error) {
    session.calls.delete(call.id);
    if (given) session.tree.remove(prompt);
    throw error;
  }
  if (fork) ctx.metrics.forks.inc({ reason: fork.reason });
  const entry = session.calls.get(call.id) ?? { call, digest, delivered: false };
  return { session, renderer, request, entry, prompt, promptIds, sampling };
}

function buildGiven(id: number, held: Place | null, rest: readonly Message[], tokenIds: readonly number[], fork: Fork | null): GivenNode {
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
  { callId, kind, promptNodeId, promptTokens, fork, sampling, request }: { callId: number; kind: Call["kind"]; promptNodeId: number | null; promptTokens: number; fork: Fork | null; sampling: SamplingPlan; request: ChatRequest },
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
async function refuseOverflow(ctx: CallContext, session: Session, call: Call, fork: Fork | null): Promise<void> {
  const refused: Call = { ...call, promptNodeId: null, fork, status: "error", endedAt: new Date().toISOString(), error: "context_length_exceeded" };
  await ctx.store.append({ t: "commit", s: session.id, call: refused, sampled: null });
  session.recordCommit({ call: refused, sampled: null });
  ctx.metrics.calls.inc({ status: "error" });
}

async function commitDone(ctx: CallContext, begun: BegunCall, sampled: SampledTokens, stopReason: "stop" | "length", cutText: string | null): Promise<CommittedTurn> {
  const { session, renderer, request, entry } = begun;
  const turn = cutText === null ? renderer.readTurn(sampled.ids, request.hasTools) : renderer.readText(cutText, request.hasTools);
  const toolCalls = turn.toolCalls.map((call, i) => ({ id: toolCallId(session.id, entry.call.id, i), type: "function", function: { name: call.name, arguments: call.arguments } }));
  const message: Message = {
    role: "assistant",
    content: turn.content === "" && toolCalls.length > 0 ? null : turn.content,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(turn.status === "ok" ? {} : { tool_call_status: turn.status }),
  };
  const node = buildSampled(begun, sampled, message);
  const call: Call = {
    ...endedCall(entry.call, sampled),
    sampledNodeId: node.id,
    status: "done",
    stopReason: stopReason === "stop" && toolCalls.length > 0 ? "tool_calls" : stopReason,
    error: sampled.clamped > 0 ? `${sampled.clamped} log-probs were missing or not finite and stand at the floor` : null,
  };
  await ctx.store.append({ t: "commit", s: session.id, call, sampled: node });
  session.recordCommit({ call, sampled: node });
  ctx.metrics.observeCall(call);
  return { call, node };
}

function buildSampled({ session, prompt, entry }: BegunCall, sampled: SampledTokens, message: Message): SampledNode {
  return {
    id: session.tree.takeId(),
    parentId: prompt.node.id,
    kind: "sampled",
    role: "assistant",
    message,
    tokenIds: [...sampled.ids],
    logprobs: [...sampled.logprobs],
    policyVersions: [...sampled.versions],
    versionSpan: sampled.versionSpan,
    callId: entry.call.id,
  };
}

function endedCall(call: Call, sampled: SampledTokens): Call {
  return {
    ...call,
    requestId: sampled.requestIds[0] ?? sampled.lastRequestId ?? call.requestId,
    requestIds: [...sampled.requestIds],
    firstTokenAt: sampled.firstTokenAt,
    endedAt: new Date().toISOString(),
    usage: { ...call.usage, sampledTokens: sampled.length },
  };
}

/** Records how the call failed and gives what its clients are told. */
async function commitFailure(ctx: CallContext, begun: BegunCall, sampled: SampledTokens, signal: AbortSignal, error: unknown): Promise<unknown> {
  const { session, entry, renderer } = begun;
  const cause = signal.aborted ? signal.reason : null;
  let node: SampledNode | null = null;
  if (cause === "client-gone") {
    sampled.keepOpen();
    if (sampled.length > 0) node = buildSampled(begun, sampled, { role: "assistant", content: renderer.visibleText(sampled.ids) });
  }
  const { status, told, why } = verdictOf(cause, error);
  const call: Call = {
    ...endedCall(entry.call, sampled),
    sampledNodeId: node?.id ?? null,
    status,
    stopReason: cause === "client-gone" ? "abort" : null,
    error: why,
  };
  if (status === "error") ctx.log.error({ err: error, session: session.id, call: call.id }, "call failed");
  try {
    await ctx.store.append({ t: "commit", s: session.id, call, sampled: node });
    session.recordCommit({ call, sampled: node });
    ctx.metrics.observeCall(call);
  } catch (unwritten) {
    // The intent stands, so the call counts as incomplete after a restart, which is what it is.
    ctx.log.error({ err: unwritten, session: session.id, call: call.id }, "end of call not written");
  }
  return told;
}

function verdictOf(cause: unknown, error: unknown): { status: Call["status"]; told: unknown; why: string } {
  if (cause === "client-gone") return { status: "aborted", told: error, why: "the client went away" };
  if (cause === "frozen") {
    const told = new OpenAiError(410, { message: "The session was completed.", type: "invalid_request_error", code: "session_complete", cause: error });
    return { status: "incomplete", told, why: "the session was completed during the call" };
  }
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof EngineAway) {
    return { status: "error", why, told: new OpenAiError(503, { message: "No engine answers. Try again later.", type: "server_error", code: "engine_unavailable", cause: error }) };
  }
  if (error instanceof EngineRefusal) {
    return { status: "error", why, told: new OpenAiError(502, { message: "The engine refused the request; the proxy's log says why.", type: "server_error", code: "engine_refused", cause: error }) };
  }
  return { status: "error", why, told: error };
}

/** Follows from the call, so that an answer that is given again carries the same ids. */
function toolCallId(sessionId: string, callId: number, index: number): string {
  return `call_${createHash("sha256").update(`${sessionId}|${callId}|${index}`).digest("base64url").slice(0, 24)}`;
}
