import type { TrainerEvent } from "@liverl/contract/trainer";
import type { Context } from "#context.ts";
import { isDatabaseAway } from "#database/is-database-away.ts";
import { recordTrainerEvents } from "#drivers/embedded/record-trainer-events.ts";
import { FileWatch } from "#metrics/file-watch.ts";
import { type FilePlace, tailFile } from "#metrics/tail-file.ts";

const start = (): FilePlace => ({ position: 0, generation: 0, tail: "" });

type Following = Pick<Context, "db" | "live" | "log">;
type OnEvents = (events: TrainerEvent[]) => Promise<void>;

/** Follows an attempt's events file until `signal`. Answers with the place that it reached: `drainTrainer` takes the rest. */
export async function followTrainer(
  ctx: Following,
  runId: string,
  path: string,
  signal: AbortSignal,
  onEvents: OnEvents,
): Promise<FilePlace> {
  let place = start();
  const watch = new FileWatch();
  signal.addEventListener("abort", () => watch.close(), { once: true });
  while (!signal.aborted) {
    watch.follow([path]);
    try {
      const read = await takeEvents(ctx, runId, path, place, onEvents);
      if (read) place = read.place;
      if (read?.more) continue;
    } catch (error) {
      // The database is away or the disk failed: the same lines are read again at the next look.
      ctx.log.warn({ err: error, runId }, "trainer events wait");
    }
    await watch.wait();
  }
  return place;
}

/** Takes what a trainer that has ended left in its events file. Throws while the database is away: no event may be lost. */
export async function drainTrainer(
  ctx: Following,
  runId: string,
  path: string,
  onEvents: OnEvents,
  from = start(),
): Promise<void> {
  try {
    for (let place: FilePlace | null = from; place; )
      place = (await takeEvents(ctx, runId, path, place, onEvents))?.place ?? null;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    // The result decides how the run ended, not the story told beside it.
    ctx.log.error({ err: error, runId }, "trainer events can not be read");
  }
}

async function takeEvents(
  ctx: Following,
  runId: string,
  path: string,
  place: FilePlace,
  onEvents: OnEvents,
) {
  const read = await tailFile(path, place);
  if (read)
    await onEvents(
      await recordTrainerEvents(
        ctx,
        runId,
        read.lines.map(({ text }) => text),
      ),
    );
  return read;
}
