import { findCheckpoints } from "#checkpoints/find-checkpoints.ts";
import type { Context } from "#context.ts";
import type { LoggedSteps } from "#drivers/verl/logged-steps.ts";
import { type NewRunEvent, recordRunEvents } from "#runs/record-run-event.ts";

const LOOK_EVERY_MS = 5_000;
const actor = "verl";

/** What verl writes no word of: its validations and its checkpoints become events of the run, each once. */
export class Milestones {
  readonly #ctx: Pick<Context, "db" | "live" | "config">;
  readonly #runId: string;
  #lookedAt = 0;

  constructor(ctx: Pick<Context, "db" | "live" | "config">, runId: string) {
    this.#ctx = ctx;
    this.#runId = runId;
  }

  /** After `steps` were read. Folders are looked through now and then, and at the `end`. */
  async record(steps: LoggedSteps, { atEnd = false } = {}): Promise<void> {
    const events: NewRunEvent[] = steps.takeEvaluations().map(({ step, key, value }) => ({
      kind: "evaluation",
      actor,
      step,
      message: `in-run reward ${value.toFixed(3)} (${key})`,
      sourceKey: `evaluation:${step}`,
    }));
    if (atEnd || Date.now() - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = Date.now();
      events.push(...(await this.#checkpoints()));
    }
    await recordRunEvents(this.#ctx, this.#runId, events);
  }

  async #checkpoints(): Promise<NewRunEvent[]> {
    const found = await findCheckpoints(this.#ctx.config.dataDir, this.#runId);
    return found
      .filter(({ complete }) => complete)
      .map(({ step, sizeBytes, writtenAt }) => ({
        kind: "checkpoint",
        actor,
        step,
        at: writtenAt,
        message: `global_step_${step}, ${(sizeBytes / 1e6).toFixed(1)} MB`,
        sourceKey: `checkpoint:${step}`,
      }));
  }
}
