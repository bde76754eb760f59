import type { IncomingMessage, ServerResponse } from "node:http";
import { answerCall } from "#calls/answer-call.ts";
import type { CallContext } from "#calls/call-context.ts";
import { planTemplate } from "#calls/plan-template.ts";
import { type ReadBody, readBodyInTurns } from "#dialects/body/read-body.ts";
import type { Dialect } from "#dialects/dialect.ts";
import { asModelError } from "#dialects/model-error.ts";
import { type Origin, originOf } from "#dialects/origin.ts";
import { headOf } from "#server/answer-head.ts";
import { Answering } from "#server/answering.ts";
import { readBody } from "#server/http-exchange.ts";
import { watchReceipt } from "#server/watch-receipt.ts";
import type { Session } from "#sessions/session.ts";

/** Names the fields of a request that had no effect. */
const IGNORED_HEADER = "x-liverl-ignored";
/** Bodies kept to read the next one from: as many as agents that may speak in turn. */
const KEPT_BODIES = 4;
/** More bytes of a session are not kept: such a body is read whole. */
const KEPT_BYTES = 8 * 1024 * 1024;

export interface ServeContext extends CallContext {
  isStopping(): boolean;
}

/** Answers one call in its dialect, streamed or whole. */
export async function serveCall(
  ctx: ServeContext,
  session: Session,
  dialect: Dialect,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await readBody(request);
  const body = await readCallBody(ctx, session, dialect, bytes);
  const parsed = dialect.parse(body);
  const pool = ctx.store.pools.get(session.open.poolId);
  const template = await planTemplate(pool, session, parsed.request.templateWishes);
  const ignored = [...parsed.request.ignored, ...template.ignored];
  if (ignored.length > 0) response.setHeader(IGNORED_HEADER, ignored.join(", ").slice(0, 2_000));
  const origin = originOf(request.headers);
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished && !ctx.isStopping()) gone.abort();
  });
  const model = pool.config.modelName;
  const answering = new Answering(response, parsed, (call) => headOf(session.id, model, call));
  try {
    const digest = digestOf(dialect, origin, body);
    const asked = {
      ...{ dialect, body, origin, digest, repeats: null },
      request: { ...parsed.request, ignored },
      templateValues: template.values,
    };
    const { turn, received } = await answerCall(ctx, session, asked, gone.signal, answering);
    watchReceipt(response, received);
    answering.end(turn);
  } catch (error) {
    // How the call ended is recorded, and logged where the client was not the cause.
    if (gone.signal.aborted) return;
    if (!answering.isOpen) throw error;
    const shown = asModelError(error);
    if (shown.fault === "internal") ctx.log.error({ err: error }, "call failed unexpectedly");
    answering.fail(shown);
  }
}

/** Agents side by side, and one at its next step, may send the same bytes: these are other calls. */
function digestOf(dialect: Dialect, { subagent, taskStep }: Origin, body: ReadBody): string {
  const step = taskStep === null ? "" : `${taskStep}|`;
  return `${dialect.id}|${subagent ?? ""}|${step}${body.digest}`;
}

/** The body, read from those that came before it in this session. */
async function readCallBody(
  { turnstile }: ServeContext,
  session: Session,
  dialect: Pick<Dialect, "id" | "listName" | "fold">,
  bytes: Buffer,
): Promise<ReadBody> {
  const known = session.bodies.get(dialect.id) ?? [];
  const body = await readBodyInTurns(bytes, dialect, known, () => turnstile.pass());
  // Another call of the session may have been read meanwhile.
  const before = session.bodies.get(dialect.id) ?? [];
  const others = before.filter((old) => !goesOn(body, old));
  let bytesLeft = KEPT_BYTES;
  const kept = [body, ...others].slice(0, KEPT_BODIES).filter((one) => {
    bytesLeft -= one.bytes.length;
    return bytesLeft >= 0;
  });
  session.bodies.set(dialect.id, kept);
  return body;
}

/** Clients change the last few elements of a list as it grows. */
const CHANGING_ELEMENTS = 4;

/** Whether the new body is the old one's conversation, some turns on. */
function goesOn(body: ReadBody, old: ReadBody): boolean {
  const at = Math.max(0, old.boundaries.length - CHANGING_ELEMENTS);
  return old.boundaries[at] === body.boundaries[at];
}
