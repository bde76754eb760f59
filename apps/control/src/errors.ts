import { AppError, type AppErrorCode } from "@liverl/contract/app-error";
import { faultOf } from "@liverl/contract/fault-of";
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { diskFaultOf, explainDiskFault } from "#disk-fault.ts";

const TRPC_CODE = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHENTICATED: "UNAUTHORIZED",
  FORBIDDEN: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  CONFLICT: "CONFLICT",
  TOO_LARGE: "PAYLOAD_TOO_LARGE",
  TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS",
  UNAVAILABLE: "SERVICE_UNAVAILABLE",
  INTERNAL: "INTERNAL_SERVER_ERROR",
} as const satisfies Record<AppErrorCode, TRPCError["code"]>;

const UNEXPECTED = "Something went wrong inside LiveRL. The control log has the details.";

/** PostgreSQL's codes for values that no column holds: NUL in a text, a number out of range. */
const UNSTORABLE = new Set(["22021", "22P05", "22003"]);

function isUnstorable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, meta } = cause as { code?: unknown; meta?: { code?: unknown } };
    if (UNSTORABLE.has(String(code)) || UNSTORABLE.has(String(meta?.code))) return true;
    // Prisma's own words, where it gives no code: https://www.prisma.io/docs/orm/reference/error-reference.
    if (/invalid byte sequence|value out of range for the type/i.test(cause.message)) return true;
  }
  return false;
}

/** An AppError for everything that may reach an edge: known errors as they are, a lost database as UNAVAILABLE. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError && error.code !== "INTERNAL_SERVER_ERROR") return ofTrpc(error);
  // A procedure's own fault, in the words that it has.
  if (error instanceof TRPCError && error.cause instanceof AppError) return error.cause;
  const disk = diskFaultOf(error);
  if (disk !== null)
    return new AppError("UNAVAILABLE", { userMessage: explainDiskFault(disk), cause: error });
  if (isDatabaseAway(error)) {
    return new AppError("UNAVAILABLE", {
      userMessage: "The database is restarting. Try again in a few seconds.",
      cause: error,
    });
  }
  // What callers give is checked where it comes in, and refused there: this was read from what is stored.
  if (error instanceof z.ZodError)
    return new AppError("INTERNAL", {
      userMessage: `Something that is stored is damaged: ${faultOf(error)}. The control log says where it was read.`,
      message: faultOf(error),
      cause: error,
    });
  if (isUnstorable(error))
    return new AppError("BAD_REQUEST", {
      userMessage: "A value can not be looked up: it holds a NUL character or is out of range.",
      cause: error,
    });
  return new AppError("INTERNAL", {
    userMessage: UNEXPECTED,
    message: error instanceof Error ? error.message : String(error),
    cause: error,
  });
}

/** A refusal of a procedure, for callers that do not speak tRPC. */
function ofTrpc(error: TRPCError): AppError {
  const codes = Object.keys(TRPC_CODE) as AppErrorCode[];
  const code = codes.find((one) => TRPC_CODE[one] === error.code) ?? "BAD_REQUEST";
  return new AppError(code, { userMessage: userMessageOf(error), cause: error });
}

export function asTrpcError(error: TRPCError): TRPCError {
  if (error.code !== "INTERNAL_SERVER_ERROR") return error;
  const known = asAppError(error.cause ?? error);
  return new TRPCError({ code: TRPC_CODE[known.code], message: known.userMessage, cause: known });
}

/** The text that may leave the process. tRPC's own errors (unknown path, wrong method) are meant for callers. */
export function userMessageOf(error: TRPCError): string {
  // Bad input: zod's own message is a JSON array.
  if (error.cause instanceof z.ZodError) return faultOf(error.cause);
  return asTrpcError(error).message;
}
