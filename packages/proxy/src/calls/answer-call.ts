import type { CommittedTurn } from "#calls/build-completion.ts";
import type { CallContext } from "#calls/call-context.ts";
import type { ChatRequest } from "#calls/chat-request.ts";
import { runCall } from "#calls/run-call.ts";
import { OpenAiError } from "#server/openai-error.ts";
import type { Session, Turn } from "#sessions/session.ts";

export interface AnswerRequest {
  request: ChatRequest;
  /** SHA-256 of the body: a repeat of it may be a retry. */
  digest: string;
  /** `x-stainless-retry-count`; null where the client says nothing. */
  retryCount: number | null;
  /** Aborts when this client is gone. */
  gone: AbortSignal;
  began: () => void;
}

/**
 * Gives the answer to a call: that of the same call in flight or of one whose answer was lost, or a new one.
 * `delivered` is to be called when the answer has left.
 */
export async function answerCall(
  ctx: CallContext,
  session: Session,
  asked: AnswerRequest,
): Promise<{ turn: CommittedTurn; delivered: () => void }> {
  const turn = await committedTurn(ctx, session, asked);
  const entry = session.calls.get(turn.call.id);
  return {
    turn,
    delivered: () => {
      if (entry) entry.delivered = true;
    },
  };
}

function committedTurn(
  ctx: CallContext,
  session: Session,
  asked: AnswerRequest,
): Promise<CommittedTurn> {
  const mayBeRetry = asked.retryCount !== 0;
  const inFlight = mayBeRetry
    ? [...session.turns].find(
        (turn) => turn.digest === asked.digest && !turn.controller.signal.aborted,
      )
    : undefined;
  if (inFlight) {
    ctx.metrics.retries.inc({ kind: "coalesced" });
    asked.began();
    return waitFor(inFlight, asked.gone);
  }
  const done = mayBeRetry ? session.findDone(asked.digest) : null;
  if (done && ((asked.retryCount ?? 0) > 0 || !done.entry.delivered)) {
    ctx.metrics.retries.inc({ kind: "replayed" });
    return Promise.resolve(done.turn);
  }
  if (session.calls.size >= session.open.maxCalls) {
    throw new OpenAiError(429, {
      message: `The session's budget of ${session.open.maxCalls} calls is used up.`,
      type: "rate_limit_error",
      code: "call_budget_exceeded",
    });
  }
  return waitFor(startTurn(ctx, session, asked), asked.gone);
}

function startTurn(
  ctx: CallContext,
  session: Session,
  { request, digest, began }: AnswerRequest,
): Turn {
  const controller = new AbortController();
  const result = runCall(ctx, session, { request, digest, signal: controller.signal, began });
  const turn: Turn = { digest, controller, waiters: 0, result };
  session.turns.add(turn);
  ctx.metrics.inFlight.inc();
  const settle = () => {
    session.turns.delete(turn);
    ctx.metrics.inFlight.dec();
  };
  result.then(settle, settle);
  return turn;
}

/** The turn is broken off when the last client that waits for it is gone. */
async function waitFor(turn: Turn, gone: AbortSignal): Promise<CommittedTurn> {
  turn.waiters += 1;
  const leave = () => {
    turn.waiters -= 1;
    if (turn.waiters === 0) turn.controller.abort("client-gone");
  };
  if (gone.aborted) leave();
  else gone.addEventListener("abort", leave, { once: true });
  try {
    return await turn.result;
  } finally {
    gone.removeEventListener("abort", leave);
  }
}
