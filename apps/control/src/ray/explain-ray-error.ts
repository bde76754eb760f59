import { AppError } from "@liverl/contract/app-error";
import type { RayPlace } from "#ray/call-ray.ts";

const LONGEST = 500;

/**
 * Ray's refusal as one AppError. Its bodies are plain text, mostly Python tracebacks, whose last line with an exception
 * is what happened (dashboard/modules/job/job_head.py); the head wraps what its agent answered, so that a bad request and
 * a repeated id come as a 500. Pure.
 */
export function explainRayError(
  { address, tokenPath }: RayPlace,
  { path, status, text }: { path: string; status: number; text: string },
): AppError {
  const said = exceptionOf(text);
  const message = `Ray answered ${status} to ${path}: ${text.slice(0, LONGEST)}`;
  const error = (code: AppError["code"], userMessage: string) =>
    new AppError(code, { userMessage, message });
  if (status === 401)
    return error(
      "UNAUTHENTICATED",
      tokenPath === null
        ? `Ray at ${address} asks for a token: give the file that holds it.`
        : `Ray at ${address} did not get the token of ${tokenPath}: a proxy between may drop the Authorization header.`,
    );
  if (status === 403)
    return error(
      "FORBIDDEN",
      tokenPath === null
        ? `Ray at ${address} refuses this request.`
        : `Ray at ${address} refuses the token in ${tokenPath}: write the cluster's own into it.`,
    );
  if (status === 404) return error("NOT_FOUND", `Ray at ${address} has nothing there: ${said}`);
  if (status === 429)
    return error("TOO_MANY_REQUESTS", `Ray at ${address} is asked too often: ${said}`);
  if (status === 413) return error("TOO_LARGE", `Ray at ${address} finds it too large: ${said}`);
  if (/already exists/.test(said)) return error("CONFLICT", `Ray at ${address}: ${said}`);
  if (status < 500 || /Request failed with status code 400/.test(text))
    return error("BAD_REQUEST", `Ray at ${address} can not do this: ${said}`);
  return error("UNAVAILABLE", `Ray at ${address} failed (${status}): ${said}`);
}

/** The last line of a traceback that names an exception, without its class; else the text's first line. */
export function exceptionOf(text: string): string {
  const named = [...text.matchAll(/^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception): (.+)$/gm)];
  const found = named.at(-1)?.[1] ?? text.trim().split("\n", 1)[0] ?? "";
  return found.slice(0, LONGEST) || "it did not say why";
}
