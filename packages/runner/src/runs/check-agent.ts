import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { AgentChoice } from "@liverl/contract/proxy-admin";
import type { RunnerContext } from "#context.ts";
import { scaffoldOf } from "#scaffolds/harbor/scaffold-of.ts";
import { TrialError } from "#trials/trial-error.ts";

/** Less than whoever asks waits. */
const ANSWER_MS = 8_000;

/**
 * Whether the agent of a run can be loaded. Throws BAD_REQUEST that says what to do where it can not, and UNAVAILABLE
 * while it is still being loaded, or Harbor installed for it: a later call knows.
 */
export async function checkAgent(
  ctx: Pick<RunnerContext, "harbor">,
  agent: AgentChoice | undefined,
): Promise<void> {
  const { importPath } = scaffoldOf(agent);
  if (importPath === undefined) return;
  const waiting = new AbortController();
  const late = sleep(ANSWER_MS, "late" as const, { signal: waiting.signal });
  late.catch(() => undefined);
  try {
    if ((await Promise.race([ctx.harbor.check(importPath), late])) !== "late") return;
  } catch (error) {
    if (!(error instanceof TrialError)) throw error;
    throw new AppError("BAD_REQUEST", { userMessage: error.userMessage, cause: error });
  } finally {
    waiting.abort();
  }
  throw new AppError("UNAVAILABLE", {
    userMessage: `${importPath} is being loaded. The first time Harbor is installed for it, which takes a minute or two. Look again.`,
  });
}
