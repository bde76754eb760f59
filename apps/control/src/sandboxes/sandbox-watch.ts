import type { Known, SandboxCounts, SandboxesView } from "@liverl/contract/cluster";
import type { SandboxHost } from "@liverl/contract/rollout";
import type { SandboxError, SandboxReport } from "@liverl/contract/sandbox";
import { Polled } from "#cluster/polled.ts";
import type { Context } from "#context.ts";
import { readErrors } from "#sandboxes/read-errors.ts";

const REPORT_MS = 2_500;
/** Asks Docker or the cluster itself. */
const HOST_MS = 10_000;
const ERRORS_MS = 10_000;
const SLOT_MS = 5_000;
/** A quarter of an hour. */
const HISTORY_LENGTH = 180;

type Sources = Pick<Context, "db" | "runner">;

/** What is known of the sandboxes of this LiveRL. Asks while somebody looks, and never else. */
export class SandboxWatch {
  #polled: {
    report: Polled<SandboxReport>;
    host: Polled<SandboxHost>;
    errors: Polled<SandboxError[]>;
  } | null = null;
  #seen: { atMs: number; counts: SandboxCounts }[] = [];

  async view(ctx: Sources): Promise<Known<SandboxesView>> {
    this.#polled ??= {
      report: new Polled(REPORT_MS, async () => this.#remember(await ctx.runner.sandboxReport())),
      host: new Polled(HOST_MS, () => ctx.runner.sandboxHost()),
      errors: new Polled(ERRORS_MS, () => readErrors(ctx)),
    };
    const { report, host, errors } = this.#polled;
    const [told, place, failed] = await Promise.all([report.get(), host.get(), errors.get()]);
    if (told.value === null) return { ...told, value: null };
    const runs = await ctx.db.run.findMany({
      where: { id: { in: [...new Set(told.value.trials.map(({ runId }) => runId))] } },
      select: { id: true, name: true, project: true },
    });
    const value = {
      ...told.value,
      host: place,
      errors: failed.value,
      history: this.#history(),
      runs,
    };
    return { ...told, value };
  }

  #remember(report: SandboxReport): SandboxReport {
    const atMs = Date.now();
    const counts: SandboxCounts = {};
    for (const { state } of report.trials) counts[state] = (counts[state] ?? 0) + 1;
    this.#seen = [...this.#seen, { atMs, counts }].filter(
      (one) => one.atMs > atMs - HISTORY_LENGTH * SLOT_MS,
    );
    return report;
  }

  #history(): (SandboxCounts | null)[] {
    const now = Date.now();
    const history = new Array<SandboxCounts | null>(HISTORY_LENGTH).fill(null);
    for (const { atMs, counts } of this.#seen) {
      const back = Math.floor((now - atMs) / SLOT_MS);
      if (back < HISTORY_LENGTH) history[HISTORY_LENGTH - 1 - back] = counts;
    }
    return history;
  }
}
