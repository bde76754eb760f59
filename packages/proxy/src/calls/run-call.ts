import { beginCall } from "#calls/begin-call.ts";
import type { CommittedTurn } from "#calls/build-completion.ts";
import type { CallContext } from "#calls/call-context.ts";
import type { ChatRequest } from "#calls/chat-request.ts";
import { commitDone, commitFailure } from "#calls/end-call.ts";
import { sampleTurn } from "#calls/sample-turn.ts";
import { SampledTokens } from "#calls/sampled-tokens.ts";
import type { Session } from "#sessions/session.ts";

/**
 * One atomic turn: intent on disk, sample, node on disk, and only then does the caller get the answer.
 * `began` is called once the prompt is accepted, when a stream may open. Throws OpenAiError.
 */
export async function runCall(
  ctx: CallContext,
  session: Session,
  {
    request,
    digest,
    signal,
    began,
  }: { request: ChatRequest; digest: string; signal: AbortSignal; began: () => void },
): Promise<CommittedTurn> {
  const begun = await beginCall(ctx, session, request, digest);
  began();
  const sampled = new SampledTokens();
  try {
    const { stopReason, cutText, replica } = await sampleTurn({
      engines: () => ctx.store.pools.get(session.open.poolId).engines,
      requestPrefix: `${session.id}-c${begun.entry.call.id}-`,
      promptIds: begun.promptIds,
      sampling: begun.sampling,
      stop: request.stop,
      cacheSalt: session.open.runId ?? session.open.poolId,
      streamText: () => begun.renderer.streamText(),
      preferred: session.replica,
      signal,
      onFailure: (error) => {
        ctx.metrics.engineFailures.inc();
        ctx.log.warn(
          { session: session.id, call: begun.entry.call.id, why: error.message },
          "engine failed, sampling again",
        );
      },
      sampled,
    });
    session.replica = replica;
    return await commitDone(ctx, begun, sampled, stopReason, cutText);
  } catch (error) {
    throw await commitFailure(ctx, begun, sampled, signal, error);
  }
}
