import { findNotStorable, notStorable } from "@liverl/contract/storable";
import { initTRPC, TRPCError } from "@trpc/server";
import type { Slots } from "#auth/query-slots.ts";
import { allows, refusal, type Scope } from "#auth/scope.ts";
import type { Context } from "#context.ts";
import { asTrpcError, userMessageOf } from "#errors.ts";

/** What a procedure sees: the process's context, who asks, and what that opens; left out, the caller is this process itself. */
export type RequestContext = Context & {
  actor: string | null;
  scope?: Scope;
  /** Of what all callers share; left out, nothing is shared. */
  slots?: Slots;
  /** Of a signed-in browser: its id. */
  browser?: string | undefined;
  /** Notes what was done, or refused; left out, nobody asks for it. */
  audit?: ((act: string, input: unknown, ok: boolean) => Promise<void>) | undefined;
};

/** What a procedure says of itself. */
export interface ProcedureMeta {
  /** What opens it; left out, its kind says it. */
  scope?: "admin";
  /** It only looks, though it is posted: it is not in the audit log. */
  isLook?: true;
}

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    sse: { enabled: false },
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      message: userMessageOf(error),
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path },
    }),
  });

export const router = t.router;

/** Every procedure needs someone signed in; there is no public one. This one takes any text: nothing of it may be stored. */
const signedIn = t.procedure.use(async ({ ctx, path, type, meta, getRawInput, next }) => {
  const note = async (ok: boolean) => {
    if (type === "mutation" && !meta?.isLook)
      await ctx.audit?.(path, await getRawInput().catch(() => null), ok);
  };
  if (ctx.actor === null) {
    throw new TRPCError({
      code: "UNAUTHORIZED",
      message: "Sign in with the link that `npm start` printed.",
    });
  }
  try {
    needScope(ctx, type === "mutation" ? "operate" : "read");
  } catch (error) {
    await note(false);
    throw error;
  }
  const result = await next({ ctx: { ...ctx, actor: ctx.actor } });
  await note(result.ok);
  if (result.ok) return result;
  const error = asTrpcError(result.error);
  if (error.code === "INTERNAL_SERVER_ERROR")
    ctx.log.error({ err: error.cause ?? error, path, type }, "procedure failed");
  throw error;
});

/** Within the caller's share of what all use. */
export const procedureOfAnyText = signedIn.use(async ({ ctx, type, signal, next }) => {
  const release = await shareOf(ctx, type);
  let isOpen = false;
  try {
    const result = await next();
    if (!result.ok || !release || !isAsyncIterable(result.data)) return result;
    isOpen = true;
    signal?.addEventListener("abort", release, { once: true });
    return { ...result, data: until(result.data, release) };
  } finally {
    if (!isOpen) release?.();
  }
});

/** The caller's share of what procedures use, until it is released. */
async function shareOf(
  { slots }: RequestContext,
  type: "query" | "mutation" | "subscription",
): Promise<(() => void) | undefined> {
  try {
    return type === "subscription" ? slots?.subscribe() : await slots?.begin();
  } catch (cause) {
    throw asTrpcError(new TRPCError({ code: "INTERNAL_SERVER_ERROR", cause }));
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* until(values: AsyncIterable<unknown>, ended: () => void): AsyncGenerator {
  try {
    yield* values;
  } finally {
    ended();
  }
}

/** Refuses text that the database could not hold, and says where it stands. */
export const procedure = procedureOfAnyText.use(async ({ getRawInput, next }) => {
  const at = findNotStorable(await getRawInput());
  if (at !== null)
    throw new TRPCError({
      code: "BAD_REQUEST",
      message: `${at.join(".") || "The input"} ${notStorable}.`,
    });
  return next();
});

/** For what gives others a way in. */
export const adminProcedure = procedure.meta({ scope: "admin" }).use(({ ctx, next }) => {
  needScope(ctx, "admin");
  return next();
});

function needScope({ scope = "admin" }: RequestContext, needed: Scope): void {
  if (!allows(scope, needed))
    throw new TRPCError({ code: "FORBIDDEN", message: refusal(scope, needed) });
}
