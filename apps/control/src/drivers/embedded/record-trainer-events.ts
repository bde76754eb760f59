import { EMBEDDED_BOOT_PHASES, TrainerEvent } from "@liverl/contract/trainer";
import type { Context } from "#context.ts";
import { recordBootPhase } from "#drivers/embedded/record-boot-phase.ts";
import { type NewRunEvent, recordRunEvents } from "#runs/record-run-event.ts";

const ACTOR = "trainer";
const labelOf = (phase: string) =>
  EMBEDDED_BOOT_PHASES.find((known) => known.id === phase)?.label ?? phase;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} s`;

/**
 * Takes lines of an attempt's events file. Idempotent by attempt and sequence number, so that the file may be read
 * again from its start after a restart. Answers with the events that it could read.
 */
export async function recordTrainerEvents(
  ctx: Pick<Context, "db" | "live" | "log">,
  runId: string,
  lines: readonly string[],
): Promise<TrainerEvent[]> {
  const events: TrainerEvent[] = [];
  for (const line of lines) {
    const parsed = TrainerEvent.safeParse(parseJson(line));
    if (parsed.success) events.push(parsed.data);
    else
      ctx.log.warn(
        { runId, line: line.slice(0, 200) },
        "the trainer wrote an event that is not in the contract",
      );
  }
  for (const event of events) {
    if (event.kind === "phase")
      await recordBootPhase(
        ctx,
        runId,
        event.attempt,
        event.id,
        event.state,
        new Date(event.at),
        event.detail,
        event.progress,
      );
    if (event.kind === "checkpoint") await recordCheckpoint(ctx, runId, event);
  }
  await recordRunEvents(
    ctx,
    runId,
    events.flatMap((event) => messageOf(event) ?? []),
  );
  return events;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function messageOf(event: TrainerEvent): NewRunEvent | null {
  const base = {
    actor: ACTOR,
    at: new Date(event.at),
    sourceKey: `trainer:${event.attempt}:${event.seq}`,
  };
  switch (event.kind) {
    case "phase":
      // Its begin and how far it is are the page's own line of progress, and no events of the run.
      if (event.state === "start" || event.state === "progress") return null;
      return {
        ...base,
        kind: "boot",
        message: `${labelOf(event.id)} ${event.state === "end" ? "done" : "failed"}${event.detail ? `: ${event.detail}` : ""}`,
      };
    case "resume":
      return {
        ...base,
        kind: "resume",
        step: event.step,
        message: `resumed at step ${event.step}, state ${event.stateSha256.slice(0, 12)}`,
      };
    case "weight-sync":
      return {
        ...base,
        kind: "weight-sync",
        step: event.step,
        message: `v${event.version} on every engine in ${seconds(event.seconds)}, ${megabytes(event.bytes)}`,
      };
    case "checkpoint":
      return {
        ...base,
        kind: "checkpoint",
        step: event.step,
        message: `global_step_${event.step} in ${seconds(event.seconds)}, ${megabytes(event.bytes)}`,
      };
    case "evaluation":
      return {
        ...base,
        kind: "evaluation",
        step: event.step,
        message: `${event.final ? "held-out" : "in-run"} reward ${event.reward.toFixed(3)} on ${event.tasks} tasks`,
      };
    case "command":
      return {
        ...base,
        kind: "status",
        step: event.step,
        message: `trainer took the order ${event.command}`,
      };
  }
}

async function recordCheckpoint(
  ctx: Pick<Context, "db">,
  runId: string,
  event: Extract<TrainerEvent, { kind: "checkpoint" }>,
): Promise<void> {
  const row = {
    path: event.path,
    writtenAt: new Date(event.at),
    seconds: event.seconds,
    sizeBytes: event.bytes,
    stateSha256: event.stateSha256,
    weightsSha256: event.weightsSha256,
  };
  await ctx.db.checkpoint.upsert({
    where: { runId_step: { runId, step: event.step } },
    create: { runId, step: event.step, ...row },
    update: row,
  });
}
