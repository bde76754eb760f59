import type { RunnerContext } from "#context.ts";
import { type HarborAttempt, say } from "#trials/harbor-attempt.ts";

/** Whatever an agent of an import path needs on this host; nothing for others. */
export async function prepareHarbor(
  ctx: Pick<RunnerContext, "harbor">,
  attempt: HarborAttempt,
): Promise<void> {
  const { importPath } = attempt.scaffold;
  if (importPath === undefined) return;
  attempt.harbor = await ctx.harbor.ensure((text) => say(attempt, text));
  say(attempt, `The agent is the class ${importPath}, on this host`);
}
