import type { Call } from "@liverl/contract/trajectory";
import { TokenPrompt } from "#backends/token-prompt.ts";
import type { AskedCall } from "#calls/asked-call.ts";
import { type BegunCall, beginCall } from "#calls/begin-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import type { CommittedTurn } from "#calls/committed-turn.ts";
import { commitDone, commitFailure } from "#calls/end-call.ts";
import { SESSION_PATIENCE, sampleTurn } from "#calls/sample-turn.ts";
import { SampledTokens } from "#calls/sampled-tokens.ts";
import { scoreLossyTurns } from "#calls/score-lossy-turns.ts";
import type { LiveText } from "#dialects/dialect.ts";
import type { Session } from "#sessions/session.ts";
import { pathTo } from "#tree/session-tree.ts";
import { unroutedFrom } from "#tree/unrouted-from.ts";

/** What those who wait for a turn hear before it is durable. */
export interface TurnListener {
  /** The prompt is accepted: a stream may open. */
  began(call: Call): void;
  /** Only in sessions that stream live. */
  live(text: LiveText): void;
}

/**
 * One atomic turn: intent on disk, sample, node on disk, and only then does the caller get the answer.
 * Throws ModelError.
 */
export async function runCall(
  ctx: CallContext,
  session: Session,
  asked: AskedCall,
  signal: AbortSignal,
  listener: TurnListener,
): Promise<CommittedTurn> {
  const begun = await beginCall(ctx, session, asked);
  listener.began(begun.entry.call);
  const sampled = new SampledTokens();
  session.sampling.add(sampled);
  let turn: CommittedTurn;
  try {
    await ctx.turnstile.pass();
    const { stopReason, cutText, replica } = await sampleTurn({
      engines: () => ctx.store.pools.get(session.open.poolId).engines,
      requestPrefix: `${session.id}-c${begun.entry.call.id}-`,
      sessionId: session.id,
      patience: SESSION_PATIENCE,
      prompt: new TokenPrompt(pathTo(begun.prompt).map(({ node }) => node.tokenIds)),
      sampling: begun.sampling,
      stop: asked.request.stop,
      cacheSalt: session.open.runId ?? session.open.poolId,
      routedExpertsFrom: session.open.routedExperts ? unroutedFrom(begun.prompt) : null,
      streamText: () => begun.renderer.streamText(),
      onTokens: liveReader(begun, listener),
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
    await ctx.turnstile.pass();
    turn = await commitDone(ctx, begun, sampled, stopReason, cutText);
  } catch (error) {
    throw await commitFailure(ctx, begun, sampled, signal, error);
  } finally {
    session.sampling.delete(sampled);
  }
  scoreLossyTurns(ctx, begun);
  return turn;
}

/** Tells text as it becomes certain. Where a stop string may still cut it, nothing is. */
function liveReader(
  { session, asked, renderer, tools, prompt }: BegunCall,
  listener: TurnListener,
): ((ids: readonly number[]) => void) | null {
  if (session.open.stream !== "live" || asked.request.stop.length > 0) return null;
  const parser = renderer.startTurn({ tools, promptIds: prompt.node.tokenIds });
  return (ids) => {
    for (const delta of parser.push(ids)) listener.live(delta);
  };
}
