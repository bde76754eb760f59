import { z } from "zod";
import { findTrackedRun } from "#trackers/open-tracked-run.ts";
import type { TrackerContext } from "#trackers/writer.ts";
import { fullPath, RunPath, runKeyOf } from "#wandb/run-key.ts";
import { Stream } from "#wandb/stream.ts";

export const RunResumeStatus = RunPath.omit({ run: true }).extend({ name: RunPath.shape.run });

/** Where a client that resumes goes on: at the line after the last that came, at the step after the last that was logged. */
export async function resumeStatus(ctx: TrackerContext, input: z.infer<typeof RunResumeStatus>) {
  const path = { entity: input.entity, project: input.project, run: input.name };
  const { entity, project, run } = fullPath(path);
  const tracked = await findTrackedRun(ctx, "wandb", runKeyOf(path));
  if (!tracked) return { model: null };
  const ours = await ctx.db.run.findUniqueOrThrow({ where: { id: tracked.runId } });
  const { history, events, output } = Stream.parse(tracked.stream);
  const config = z.record(z.string(), z.unknown()).catch({}).parse(ours.config);
  const wrapped = Object.entries(config).map(([key, value]) => [key, { value }]);
  /** A list of lines in JSON's text, each of them JSON in text again. */
  const tailOf = (lines: typeof history) =>
    JSON.stringify(lines ? [JSON.stringify(lines.last)] : []);
  return {
    model: {
      ...{ id: project, name: project, entity: { id: entity, name: entity } },
      bucket: {
        ...{ id: run, name: run, displayName: tracked.name },
        summaryMetrics: JSON.stringify(tracked.summary ?? {}),
        logLineCount: output?.count ?? 0,
        historyLineCount: history?.count ?? 0,
        eventsLineCount: events?.count ?? 0,
        historyTail: tailOf(history),
        eventsTail: tailOf(events),
        config: JSON.stringify(Object.fromEntries(wrapped)),
        tags: ours.tags,
        notes: null,
        // A run without this key is one that was only announced: the client would not resume it.
        wandbConfig: '{"t":{}}',
      },
    },
  };
}
