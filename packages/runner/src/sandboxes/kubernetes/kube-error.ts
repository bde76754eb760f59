import { ApiException } from "@kubernetes/client-node";
import { z } from "zod";
import { TrialError } from "#trials/trial-error.ts";

const Status = z.looseObject({ message: z.string().optional() });

/** The HTTP status that the API server answered with; null where it did not answer. */
export const codeOf = (error: unknown): number | null =>
  error instanceof ApiException ? error.code : null;

/** A failed request to the API server in words; what is one of ours already stays. */
export function toKubeError(error: unknown, server: string, doing: string): TrialError {
  if (error instanceof TrialError) return error;
  if (!(error instanceof ApiException))
    return new TrialError(
      "SandboxUnavailableError",
      `Kubernetes does not answer at ${server} (${faultOf(error)}). Start it, or set KUBECONFIG and start LiveRL again.`,
      error,
    );
  const says = messageOf(error.body) ?? `it answers ${error.code}`;
  const [type, text] = explain(error.code, says, doing);
  return new TrialError(type, text, error);
}

function explain(code: number, says: string, doing: string): [string, string] {
  if (code === 403 && /exceeded quota/.test(says))
    return ["SandboxQuotaError", `The namespace has no quota left for a sandbox: ${says}`];
  if (code === 401)
    return [
      "SandboxUnavailableError",
      "Kubernetes does not know these credentials: renew the kubeconfig's token or certificate.",
    ];
  if (code === 403)
    return [
      "SandboxError",
      `LiveRL may not ${doing}: ${says} Its user needs the Role of docs/sandboxes.md.`,
    ];
  if (code === 429 || code >= 500)
    return ["SandboxUnavailableError", `Kubernetes can not ${doing} now: ${says}`];
  return ["SandboxError", `Kubernetes can not ${doing}: ${says}`];
}

function messageOf(body: unknown): string | null {
  try {
    return Status.parse(typeof body === "string" ? JSON.parse(body) : body).message ?? null;
  } catch {
    return null;
  }
}

/** Of a request without an answer; a WebSocket's failure is an event with a message. */
export function faultOf(error: unknown): string {
  if (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name))
    return "no answer in time";
  if (typeof error === "object" && error !== null && "message" in error)
    return String(error.message).replace(/^request to \S+ failed, reason: /, "");
  return String(error);
}
