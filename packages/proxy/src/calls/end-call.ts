import { createHash } from "node:crypto";
import type { Call, Message, SampledNode } from "@liverl/contract/trajectory";
import { EngineAway, EngineRefusal } from "#backends/inference-backend.ts";
import type { BegunCall } from "#calls/begin-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import type { CommittedTurn } from "#calls/committed-turn.ts";
import { committedTurn } from "#calls/committed-turn.ts";
import type { SampledTokens } from "#calls/sampled-tokens.ts";
import { ModelError } from "#dialects/model-error.ts";
import type { ParsedTurn } from "#families/family.ts";

/** Makes the turn durable: after this it may be told. */
export async function commitDone(
  ctx: CallContext,
  begun: BegunCall,
  sampled: SampledTokens,
  stopReason: "stop" | "length",
  cutText: string | null,
): Promise<CommittedTurn> {
  const { session, renderer, entry } = begun;
  const turn = readTurn(begun, sampled, cutText);
  const toolCalls = turn.toolCalls.map((call, i) => ({
    id: toolCallId(session.id, entry.call.id, i),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const message: Message = {
    role: "assistant",
    content: turn.content === "" && toolCalls.length > 0 ? null : turn.content,
    ...(turn.reasoning === null ? {} : { reasoning_content: turn.reasoning }),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(turn.status === "ok" ? {} : { tool_call_status: turn.status }),
  };
  const node = buildSampled(begun, sampled, message);
  const call: Call = {
    ...endedCall(entry.call, sampled),
    sampledNodeId: node.id,
    status: "done",
    stopReason: stopReason === "stop" && toolCalls.length > 0 ? "tool_calls" : stopReason,
    stopText: cutText === null ? null : stopAfter(begun, sampled, cutText),
    error: sampled.flaw,
  };
  await ctx.store.append({ t: "commit", s: session.id, call, sampled: node });
  session.recordCommit({ call, sampled: node });
  ctx.metrics.observeCall(call);
  return committedTurn(session, renderer, call, node);
}

/** The stop string that stands where the text was cut. */
function stopAfter(
  { renderer, asked }: BegunCall,
  sampled: SampledTokens,
  cutText: string,
): string | null {
  const stream = renderer.streamText();
  const whole = sampled.ids.map((id) => stream.push(id)).join("") + stream.end();
  return asked.request.stop.find((word) => whole.startsWith(word, cutText.length)) ?? null;
}

function readTurn(
  { renderer, tools, prompt }: BegunCall,
  sampled: SampledTokens,
  cutText: string | null,
): ParsedTurn {
  const promptIds = prompt.node.tokenIds;
  return renderer.readTurn(sampled.ids, { tools, promptIds, visibleLength: cutText?.length });
}

function buildSampled(
  { session, prompt, entry }: BegunCall,
  sampled: SampledTokens,
  message: Message,
): SampledNode {
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
    ...(sampled.routedExperts === undefined ? {} : { routedExperts: sampled.routedExperts }),
  };
}

/** Names the requests whose tokens are kept; without any, the last one that an engine was given. */
function endedCall(call: Call, sampled: SampledTokens): Call {
  const last = sampled.lastRequestId === null ? [] : [sampled.lastRequestId];
  const requestIds = sampled.requestIds.length > 0 ? [...sampled.requestIds] : last;
  return {
    ...call,
    requestId: requestIds[0] ?? call.requestId,
    requestIds,
    firstTokenAt: sampled.firstTokenAt,
    endedAt: new Date().toISOString(),
    usage: { ...call.usage, sampledTokens: sampled.length },
  };
}

/** Records how the call failed and gives what its clients are told. */
export async function commitFailure(
  ctx: CallContext,
  begun: BegunCall,
  sampled: SampledTokens,
  signal: AbortSignal,
  error: unknown,
): Promise<unknown> {
  const { session, entry } = begun;
  const cause = signal.aborted ? signal.reason : null;
  let node: SampledNode | null = null;
  if (cause === "client-gone") {
    sampled.keepOpen();
    if (sampled.length > 0)
      node = buildSampled(begun, sampled, {
        role: "assistant",
        content: readTurn(begun, sampled, null).content,
      });
  }
  const { status, told, why } = verdictOf(cause, error);
  const call: Call = {
    ...endedCall(entry.call, sampled),
    sampledNodeId: node?.id ?? null,
    status,
    stopReason: cause === "client-gone" ? "abort" : null,
    error: why,
  };
  if (status === "error")
    ctx.log.error({ err: error, session: session.id, call: call.id }, "call failed");
  else ctx.log.info({ session: session.id, call: call.id, why }, "call ended before its answer");
  try {
    await ctx.store.append({ t: "commit", s: session.id, call, sampled: node });
    session.recordCommit({ call, sampled: node });
    ctx.metrics.observeCall(call);
  } catch (unwritten) {
    // The intent stands, so the call counts as incomplete after a restart, which is what it is.
    ctx.log.error(
      { err: unwritten, session: session.id, call: call.id },
      "end of call not written",
    );
  }
  return told;
}

function verdictOf(
  cause: unknown,
  error: unknown,
): { status: Call["status"]; told: unknown; why: string } {
  if (cause === "client-gone")
    return { status: "aborted", told: error, why: "the client went away" };
  if (cause === "frozen") {
    const told = new ModelError("session-over", "The session was completed.", {
      code: "session_complete",
      cause: error,
    });
    return { status: "incomplete", told, why: "the session was completed during the call" };
  }
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof EngineAway) {
    const told = new ModelError("unavailable", "No engine answers. Try again later.", {
      code: "engine_unavailable",
      cause: error,
    });
    return { status: "error", why, told };
  }
  if (error instanceof EngineRefusal) {
    const message = "The engine refused the request; the proxy's log says why.";
    const told = new ModelError("refused", message, { code: "engine_refused", cause: error });
    return { status: "error", why, told };
  }
  return { status: "error", why, told: error };
}

/** Follows from the call, so that an answer that is given again carries the same ids. */
function toolCallId(sessionId: string, callId: number, index: number): string {
  return `call_${createHash("sha256").update(`${sessionId}|${callId}|${index}`).digest("base64url").slice(0, 24)}`;
}
