import { ApiException } from "@kubernetes/client-node";
import { AppError, type AppErrorCode } from "@liverl/contract/app-error";
import { z } from "zod";
import type { KubePlace } from "#kube/load-kube.ts";

/** Kubernetes' `Status`, the body of an answer that refuses (apimachinery, metav1.Status). */
const Status = z.looseObject({
  kind: z.literal("Status"),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z.looseObject({ name: z.string().optional() }).optional(),
});

/** What was asked for, in the words of RBAC. */
export interface KubeAct {
  verb: string;
  /** Plural, with its group: `rayjobs.ray.io`, `pods`, `pods/log`. */
  resource: string;
}

/**
 * An AppError that says what to do. NOT_FOUND only where the API server says that the object is not there; a missing CRD is
 * a BAD_REQUEST. UNAVAILABLE and TOO_MANY_REQUESTS pass by themselves.
 */
export function explainKubeError(place: KubePlace, act: KubeAct, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const tell = (code: AppErrorCode, userMessage: string) =>
    new AppError(code, { userMessage, cause: error });
  const { server, namespace } = place;
  if (!(error instanceof ApiException))
    return tell("UNAVAILABLE", `Kubernetes does not answer at ${server}: ${networkFault(error)}.`);
  const status = parseStatus(error.body);
  const says = status?.message ?? `it answers ${error.code}`;
  switch (error.code) {
    case 400:
    case 422:
      return tell("BAD_REQUEST", `Kubernetes refuses the ${act.resource}: ${says}`);
    case 401:
      return tell(
        "UNAUTHENTICATED",
        `Kubernetes at ${server} does not know these credentials: renew the kubeconfig's token or certificate.`,
      );
    case 403:
      return /exceeded quota/.test(says)
        ? tell("FORBIDDEN", `The namespace ${namespace} has no quota left: ${says}`)
        : tell(
            "FORBIDDEN",
            `LiveRL may not ${act.verb} ${act.resource} in the namespace ${namespace}: give its user a Role with the verb "${act.verb}" on "${act.resource}" (docs/verl.md has one). Kubernetes says: ${says}`,
          );
    case 404:
      // A kind that nobody has defined is answered with "404 page not found", or a Status without a name.
      if (act.resource.endsWith(".ray.io") && status?.details?.name === undefined)
        return tell(
          "BAD_REQUEST",
          `KubeRay is not installed in the cluster at ${server}: it has no ${act.resource}. Install the KubeRay operator (helm install kuberay-operator kuberay/kuberay-operator).`,
        );
      return tell("NOT_FOUND", says);
    case 409:
      return tell("CONFLICT", says);
    case 413:
      return tell("TOO_LARGE", `Kubernetes takes no object of this size: ${says}`);
    case 429:
      return tell("TOO_MANY_REQUESTS", `Kubernetes at ${server} is asked too much: ${says}`);
    default:
      return tell(
        "UNAVAILABLE",
        `Kubernetes at ${server} answers ${error.code}: ${says.slice(0, 300)}`,
      );
  }
}

function parseStatus(body: unknown): z.infer<typeof Status> | null {
  try {
    return Status.safeParse(typeof body === "string" ? JSON.parse(body) : body).data ?? null;
  } catch {
    return null;
  }
}

function networkFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "AbortError" || error.name === "TimeoutError") return "no answer in time";
  return error.message.replace(/^request to \S+ failed, reason: /, "") || error.name;
}
