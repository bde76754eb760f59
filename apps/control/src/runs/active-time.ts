import { isTerminal, RunStatus } from "@liverl/contract/run";

/** One move of a run's status, as its events hold it: `booting`, `failed: the trainer died`, … */
export type StatusMove = { at: Date; message: string };

/** `seconds` of the lives that ended, and when the present one began. */
export type ActiveTime = { seconds: number; since: Date | null };

/** Time that a run was at work, over all of its lives. */
export function activeTime(moves: readonly StatusMove[]): ActiveTime {
  let seconds = 0;
  let since: Date | null = null;
  for (const { at, message } of moves) {
    const to = RunStatus.safeParse(message.split(":")[0]).data;
    if (to === "booting" || to === "running") since ??= at;
    if (to === undefined || since === null || !isTerminal(to)) continue;
    seconds += (at.getTime() - since.getTime()) / 1000;
    since = null;
  }
  return { seconds, since };
}
