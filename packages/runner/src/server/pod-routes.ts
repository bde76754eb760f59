import { AppError } from "@liverl/contract/app-error";
import type { RunnerContext } from "#context.ts";
import type { Route } from "#server/route.ts";
import { TrialError } from "#trials/trial-error.ts";

const PATTERN = /^\/api\/v1\/runs\/([^/]+)\/pods$/;

/** What is left of a run in a cluster. */
export const POD_ROUTES: readonly Route[] = [
  {
    method: "GET",
    pattern: PATTERN,
    answer: async (ctx, { parameters: [runId = ""] }) => ({
      status: 200,
      content: { pods: await inWords(() => leftOf(ctx).list(runId)) },
    }),
  },
  {
    method: "DELETE",
    pattern: PATTERN,
    answer: async (ctx, { parameters: [runId = ""], query }) => {
      const others = query.get("others") === "true";
      const removed = await inWords(() => leftOf(ctx).remove(runId, { others }));
      return { status: 200, content: { removed } };
    },
  },
];

function leftOf({ sandboxes }: Pick<RunnerContext, "sandboxes">) {
  if (sandboxes.left !== null) return sandboxes.left;
  throw new AppError("CONFLICT", {
    userMessage:
      "No cluster is configured: sandboxes are Docker containers here, which are removed by themselves. Start LiveRL with LIVERL_SANDBOX=kubernetes.",
  });
}

/** A cluster that is away, or refuses, is told as it is. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof TrialError)) throw cause;
    throw new AppError("UNAVAILABLE", { userMessage: cause.userMessage, cause });
  }
}
