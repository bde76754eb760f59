import { VERL_BOOT_PHASES } from "@liverl/contract/verl-launch";
import type { Context } from "#context.ts";
import type { VerlPhase } from "#drivers/verl/read-boot-line.ts";
import { recordRunEvent } from "#runs/record-run-event.ts";

const IDS = VERL_BOOT_PHASES.map(({ id }) => id);

/** The boot phases of one attempt as they end, one after the other. May be told again what it was told before. */
export class BootProgress {
  readonly #ctx: Pick<Context, "db" | "live">;
  readonly #runId: string;
  readonly #attempt: number;
  #reached = -1;

  constructor(ctx: Pick<Context, "db" | "live">, runId: string, attempt: number) {
    this.#ctx = ctx;
    this.#runId = runId;
    this.#attempt = attempt;
  }

  get isOver(): boolean {
    return this.#reached === IDS.length - 1;
  }

  /** `phase` has ended: so have those before it, also where nothing told of them, and the next one begins. */
  async ended(phase: VerlPhase, at = new Date()): Promise<void> {
    const index = IDS.indexOf(phase);
    if (index <= this.#reached) return;
    const { db, live } = this.#ctx;
    const base = { runId: this.#runId, attempt: this.#attempt };
    await db.bootPhase.updateMany({
      where: { ...base, phase: { in: IDS.slice(0, index + 1) }, state: "now" },
      data: { state: "done", endedAt: at, detail: null },
    });
    await db.bootPhase.createMany({
      data: IDS.slice(this.#reached + 1, index + 1).map((id) => ({
        ...{ ...base, phase: id, state: "done", startedAt: at, endedAt: at },
        detail: id === phase ? null : "not told apart in the log",
      })),
      skipDuplicates: true,
    });
    const next = IDS[index + 1];
    if (next !== undefined)
      await db.bootPhase.createMany({
        data: [{ ...base, phase: next, state: "now", startedAt: at }],
        skipDuplicates: true,
      });
    this.#reached = index;
    await recordRunEvent(this.#ctx, this.#runId, {
      kind: "boot",
      actor: "trainer",
      at,
      message: `${VERL_BOOT_PHASES[index]?.label} done`,
      sourceKey: `boot:${this.#attempt}:${phase}`,
    });
    live.emit("run", this.#runId);
  }
}
