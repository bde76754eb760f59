import type { Call } from "@liverl/contract/trajectory";
import type { AskedCall } from "#calls/asked-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import { type CommittedTurn, committedTurn } from "#calls/committed-turn.ts";
import { runCall, type TurnListener } from "#calls/run-call.ts";
import type { LiveText } from "#dialects/dialect.ts";
import { ModelError } from "#dialects/model-error.ts";
import type { AnsweredCall, Receipt, SentAnswer, Session, Turn } from "#sessions/session.ts";

/**
 * Gives the answer to a call: that of the same call in flight or of one whose answer was lost, or a new one.
 * `gone` aborts when this client is gone; `received` is to be called with what becomes known of the answer's arrival.
 */
export async function answerCall(
  ctx: CallContext,
  session: Session,
  asked: AskedCall,
  gone: AbortSignal,
  listener: TurnListener,
): Promise<{ turn: CommittedTurn; received: (receipt: Receipt) => void }> {
  const turn = await turnFor(ctx, session, asked, gone, listener);
  const answer: SentAnswer = { receipt: "sending" };
  session.calls.get(turn.call.id)?.answers.push(answer);
  return {
    turn,
    received: (receipt) => {
      answer.receipt = receipt;
    },
  };
}

function turnFor(
  ctx: CallContext,
  session: Session,
  asked: AskedCall,
  gone: AbortSignal,
  listener: TurnListener,
): Promise<CommittedTurn> {
  const { digest, origin } = asked;
  const { retryCount } = origin;
  const mayBeRetry = retryCount !== 0;
  const inFlight = mayBeRetry
    ? [...session.turns].find((turn) => turn.digest === digest && !turn.controller.signal.aborted)
    : undefined;
  if (inFlight) {
    ctx.metrics.retries.inc({ kind: "coalesced" });
    return waitFor(inFlight, gone, listener);
  }
  const answered = session.listAnswered(digest);
  const unread = answered.filter(({ isContinued }) => !isContinued);
  const replayed =
    (retryCount ?? 0) > 0 ? answered[0] : unread.find(({ receipt }) => receipt === "lost");
  if (replayed) {
    ctx.metrics.retries.inc({ kind: "replayed" });
    return replay(ctx, session, replayed, listener);
  }
  if (session.calls.size >= session.open.maxCalls)
    throw new ModelError(
      "budget",
      `The session's budget of ${session.open.maxCalls} calls is used up.`,
      { code: "call_budget_exceeded" },
    );
  const repeated = unread.find(({ receipt }) => receipt === "closed");
  const repeats = repeated?.entry.call.id ?? null;
  return waitFor(startTurn(ctx, session, { ...asked, repeats }), gone, listener);
}

async function replay(
  ctx: CallContext,
  session: Session,
  { entry, node }: AnsweredCall,
  listener: TurnListener,
): Promise<CommittedTurn> {
  const renderer = await ctx.store.pools.get(session.open.poolId).renderer();
  listener.began(entry.call);
  return committedTurn(session, renderer, entry.call, node);
}

function startTurn(ctx: CallContext, session: Session, asked: AskedCall): Turn {
  const controller = new AbortController();
  const listeners = new Set<TurnListener>();
  const turn: Turn = {
    digest: asked.digest,
    controller,
    waiters: 0,
    listeners,
    call: null,
    said: [],
    result: runCall(ctx, session, asked, controller.signal, {
      began: (call: Call) => {
        turn.call = call;
        for (const listener of listeners) listener.began(call);
      },
      live: (text: LiveText) => {
        turn.said.push(text);
        for (const listener of listeners) listener.live(text);
      },
    }),
  };
  session.turns.add(turn);
  ctx.metrics.inFlight.inc();
  const settle = () => {
    session.turns.delete(turn);
    ctx.metrics.inFlight.dec();
  };
  turn.result.then(settle, settle);
  return turn;
}

/** The turn is broken off when the last client that waits for it is gone. Who comes late hears what was said before. */
async function waitFor(
  turn: Turn,
  gone: AbortSignal,
  listener: TurnListener,
): Promise<CommittedTurn> {
  turn.waiters += 1;
  turn.listeners.add(listener);
  if (turn.call) listener.began(turn.call);
  for (const text of turn.said) listener.live(text);
  const leave = () => {
    turn.waiters -= 1;
    if (turn.waiters === 0) turn.controller.abort("client-gone");
  };
  if (gone.aborted) leave();
  else gone.addEventListener("abort", leave, { once: true });
  try {
    return await turn.result;
  } finally {
    turn.listeners.delete(listener);
    gone.removeEventListener("abort", leave);
  }
}
