import type { RunnerContext } from "#context.ts";
import type { Sandbox } from "#sandboxes/sandbox.ts";
import { type HarborAttempt, say } from "#trials/harbor-attempt.ts";

/** Removes a sandbox of an attempt; one that can not be removed is left to the reaper. May be called again. */
export async function removeSandbox(
  ctx: Pick<RunnerContext, "log">,
  attempt: HarborAttempt,
  sandbox: Sandbox,
): Promise<void> {
  await attempt.shells.leave("The sandbox is being removed.");
  try {
    await sandbox.destroy();
    say(attempt, `The sandbox ${sandbox.name} is gone`);
  } catch (error) {
    ctx.log.warn({ err: error }, "a sandbox is left to the reaper");
  }
}
