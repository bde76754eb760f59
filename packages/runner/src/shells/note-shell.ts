import type { NewShell } from "#shells/attempt-shells.ts";
import { type HarborAttempt, say } from "#trials/harbor-attempt.ts";

/** Marks the trial: what is typed may be in its outcome, and nobody could tell later. */
export function noteShell(attempt: HarborAttempt, { actor, openedAt }: NewShell): void {
  const phase = attempt.trial.inSandbox?.phase ?? "agent";
  const evidence = `${actor} opened a shell at ${openedAt.toISOString()}, while the ${phase} was at work`;
  attempt.flags.push({ kind: "operator-shell", evidence: [evidence] });
  say(attempt, `Integrity: ${evidence}`);
}
