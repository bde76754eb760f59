import { setTimeout as sleep } from "node:timers/promises";
import type { TrainerEvent } from "@liverl/contract/trainer";
import type { Context } from "#context.ts";
import { recordTrainerEvents } from "#drivers/embedded/record-trainer-events.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

const POLL_MS = 150;

/** Follows an attempt's events file until `signal`; then takes what is left and ends. */
export async function followTrainer(
  ctx: Pick<Context, "db" | "live" | "log">,
  runId: string,
  path: string,
  signal: AbortSignal,
  onEvents: (events: TrainerEvent[]) => Promise<void>,
): Promise<void> {
  let place: FilePlace = { position: 0, generation: 0, tail: "" };
  for (let last = false; ; ) {
    try {
      const read = await tailFile(path, place);
      if (read) {
        const events = await recordTrainerEvents(
          ctx,
          runId,
          read.lines.map(({ text }) => text),
        );
        await onEvents(events);
        place = read.place;
        if (read.more) continue;
      }
      if (last) return;
    } catch (error) {
      // The database is away or the disk failed: the same lines are read again at the next look.
      ctx.log.warn({ err: error, runId }, "trainer events wait");
      if (last) return;
    }
    last = signal.aborted;
    if (!last) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
