import { AppError, type AppErrorCode, HTTP_STATUS } from "@liverl/contract/app-error";
import type { FastifyInstance } from "fastify";
import type { Context } from "#context.ts";
import { drainRequest } from "#drain-request.ts";
import { asAppError } from "#errors.ts";

/** MLflow's words: https://mlflow.org/docs/latest/rest-api.html, `mlflow/protos/databricks.proto` of its source. */
const MLFLOW_CODE = {
  BAD_REQUEST: "INVALID_PARAMETER_VALUE",
  UNAUTHENTICATED: "UNAUTHENTICATED",
  FORBIDDEN: "PERMISSION_DENIED",
  NOT_FOUND: "RESOURCE_DOES_NOT_EXIST",
  CONFLICT: "RESOURCE_ALREADY_EXISTS",
  TOO_LARGE: "INVALID_PARAMETER_VALUE",
  TOO_MANY_REQUESTS: "REQUEST_LIMIT_EXCEEDED",
  UNAVAILABLE: "TEMPORARILY_UNAVAILABLE",
  INTERNAL: "INTERNAL_ERROR",
} as const satisfies Record<AppErrorCode, string>;

/** Errors of this scope in MLflow's shape. Its client tries again on 5xx, so what is the client's own fault is never one. */
export function answerMlflowErrors(scope: FastifyInstance, ctx: Pick<Context, "log">): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const known = asAppError(fromFastify(error));
    if (known.code === "TOO_LARGE") await drainRequest(request.raw);
    if (known.code === "INTERNAL")
      ctx.log.error({ err: error, url: request.url }, "request failed");
    // MLflow itself answers 400 where a name is taken or a body is too large.
    const isOwnFault = known.code === "CONFLICT" || known.code === "TOO_LARGE";
    return reply
      .code(isOwnFault ? HTTP_STATUS.BAD_REQUEST : HTTP_STATUS[known.code])
      .send({ error_code: MLFLOW_CODE[known.code], message: known.userMessage });
  });
  scope.all("/*", { config: { scope: "ingest" } }, (request, reply) =>
    reply.code(HTTP_STATUS.NOT_FOUND).send({
      error_code: "ENDPOINT_NOT_FOUND",
      message: `LiveRL has no ${request.method} ${request.url.split("?", 1)[0]}.`,
    }),
  );
}

function fromFastify(error: unknown): unknown {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  if (!(error instanceof Error) || typeof status !== "number" || status >= 500) return error;
  return new AppError(status === HTTP_STATUS.TOO_LARGE ? "TOO_LARGE" : "BAD_REQUEST", {
    userMessage: error.message,
    cause: error,
  });
}
