import { setTimeout as sleep } from "node:timers/promises";
import { isTerminal, type RunDetail } from "@liverl/contract/run";
import type { Cli } from "#cli.ts";
import { askPatiently } from "#client/ask-patiently.ts";
import { describeRun } from "#commands/describe-run.ts";
import { EXIT } from "#exit-code.ts";
import { number } from "#output/format-value.ts";
import type { Result } from "#output/io.ts";

const LOOK_EVERY_MS = 1_000;

/** Resolves at the run's end, or after `timeoutS`: exit 0 when it succeeded, else 1. */
export async function waitForRun(cli: Cli, id: string, timeoutS?: number): Promise<Result> {
  const deadline = timeoutS === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutS * 1000;
  let told = "";
  for (;;) {
    const run = await askPatiently(cli, () => cli.api.get("run.get", { id }));
    if (isTerminal(run.status))
      return {
        answer: run,
        lines: describeRun(run),
        exit: run.status === "succeeded" ? EXIT.ok : EXIT.no,
      };
    const now = progressOf(run);
    if (now !== told) cli.io.say(now);
    told = now;
    if (Date.now() > deadline) {
      cli.io.say(`${id} is still ${run.status} after ${timeoutS} s`);
      return { answer: run, lines: describeRun(run), exit: EXIT.no };
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: cli.signal });
  }
}

function progressOf({ id, status, step, plannedSteps, reward, boot }: RunDetail): string {
  const phase = status === "booting" ? boot.find((one) => one.status === "now") : undefined;
  if (phase) return `${id}: booting, ${phase.label}`;
  const of = plannedSteps === null ? "" : ` of ${plannedSteps}`;
  const last = number(reward.last);
  return `${id}: ${status}, step ${step}${of}${last === null ? "" : `, reward ${last}`}`;
}
