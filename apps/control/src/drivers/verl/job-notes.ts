import type { Context } from "#context.ts";
import { recordBootPhase } from "#drivers/embedded/record-boot-phase.ts";
import { ConsoleMetrics } from "#drivers/verl/console-metrics.ts";
import type { JobState } from "#drivers/verl/job-state.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

/** What a cluster's job tells of itself: events of its run, the detail of its boot phase, and its metrics. */
export class JobNotes {
  readonly #ctx: Pick<Context, "db" | "live">;
  readonly #runId: string;
  readonly #attempt: number;
  readonly #metrics: ConsoleMetrics;
  #toldDetail: string | null = null;

  constructor(
    ctx: Pick<Context, "db" | "live">,
    { runId, attempt, files }: { runId: string; attempt: number; files: VerlFiles },
  ) {
    this.#ctx = ctx;
    this.#runId = runId;
    this.#attempt = attempt;
    this.#metrics = new ConsoleMetrics({
      console: files.console(attempt),
      metrics: files.metrics(attempt),
      record: files.metricsSource(attempt),
    });
  }

  /** Takes the metrics that the console log has grown by. */
  async followMetrics(isOver: boolean): Promise<void> {
    const chosen = await this.#metrics.follow(isOver);
    if (chosen === null) return;
    await recordRunEvent(this.#ctx, this.#runId, {
      kind: "boot",
      actor: "control",
      message:
        chosen === "file"
          ? "metrics are read from verl's file: the job and LiveRL share a disk"
          : "metrics are read from the lines that verl prints: its file is not on a disk that LiveRL sees",
      sourceKey: `metrics-source:${this.#attempt}`,
    });
  }

  /** `who` is what the job is asked of. */
  async change(before: JobState | null, now: JobState, who: string): Promise<void> {
    if (now.kind === "unknown" && before?.kind !== "unknown")
      await this.alert(`Nothing is known of the job now: ${now.detail}`);
    if (before?.kind === "unknown" && now.kind !== "unknown")
      await this.alert(`${who} answers again`);
    if (now.kind === "waiting" && now.detail !== null) await this.tellPhase(now.detail);
  }

  async alert(message: string): Promise<void> {
    const event = { kind: "alert", actor: "control", message } as const;
    await recordRunEvent(this.#ctx, this.#runId, event);
  }

  async tellPhase(detail: string): Promise<void> {
    if (detail === this.#toldDetail) return;
    this.#toldDetail = detail;
    const at = new Date();
    await recordBootPhase(this.#ctx, this.#runId, this.#attempt, "ray", "progress", at, detail);
  }
}
