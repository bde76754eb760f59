import type { RolloutResult } from "@liverl/contract/rollout";
import { BusyClock } from "#trainer/busy-clock.ts";
import type { DrawnTask } from "#trainer/trainer-state.ts";

/** A task's rollouts: verl's sample. */
export interface SampledGroup {
  task: DrawnTask;
  rollouts: RolloutResult[];
  /** Wall time from the request to the last rollout. */
  seconds: number;
  /** Oldest weights that sampled a token of it. */
  oldestVersion: number;
}

export interface RollouterLimits {
  /** Samples that may be begun between two weight syncs, those that are left over from before among them. */
  maxRequiredSamples: number;
  /** Samples in flight. */
  maxConcurrentSamples: number;
  /** Versions that a sample's oldest token may be behind the trainer's. */
  maxStaleness: number;
}

export interface RollouterPort {
  draw(): DrawnTask;
  run(task: DrawnTask, version: number, signal: AbortSignal): Promise<RolloutResult[]>;
}

/**
 * Keeps samples coming while the trainer updates, as verl's FullyAsyncRollouter: begins new ones until the limit of a version is
 * reached, and hands them out in the order in which they end. What is too old when it would train is dropped and counted.
 */
export class Rollouter {
  readonly #active = new Map<number, DrawnTask>();
  readonly #ended = new AbortController();
  readonly #clock = new BusyClock();
  #queue: SampledGroup[] = [];
  #again: DrawnTask[];
  #isHeld = true;
  /** Samples of this version and those left over from before it: verl's `staleness_samples`. */
  #counted = 0;
  #version = 0;
  /** Samples that the run's plan still trains. */
  #left: number;
  #failure: unknown = null;
  #waiters: (() => void)[] = [];
  generated = 0;
  dropped = 0;

  /** `again`: tasks that an earlier life drew and did not train; they go first. `left`: samples of the rest of the plan. */
  constructor(
    readonly port: RollouterPort,
    readonly limits: RollouterLimits,
    { again, left }: { again: readonly DrawnTask[]; left: number },
  ) {
    this.#again = [...again];
    this.#left = left;
  }

  /** The engines have these weights now: counting begins anew with what is under way. Answers with how things stood. */
  begin(version: number): { busyS: number; totalS: number; active: number; queued: number } {
    this.#version = version;
    const [active, queued] = [this.#active.size, this.#queue.length];
    this.#counted = active + queued;
    this.#isHeld = false;
    const lap = this.#clock.lap();
    this.#fill();
    return { ...lap, active, queued };
  }

  /** Begins nothing more; resolves when nothing is in flight. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    while (this.#active.size > 0) await this.#change();
  }

  /** The next samples that are fresh enough for weights of `version`. Rejects when the runner refused one. */
  async take(count: number, version: number): Promise<SampledGroup[]> {
    const taken: SampledGroup[] = [];
    while (taken.length < count) {
      const next = this.#queue.shift();
      if (next === undefined) await this.#change();
      else if (version - next.oldestVersion > this.limits.maxStaleness) this.#drop();
      else {
        taken.push(next);
        this.#left--;
      }
    }
    return taken;
  }

  /** Drawn and not trained: in flight, waiting in the queue, or not begun again yet. */
  untrained(): DrawnTask[] {
    return [...this.#queue.map(({ task }) => task), ...this.#active.values(), ...this.#again].sort(
      (a, b) => a.index - b.index,
    );
  }

  /** Nothing is asked for any more. */
  end(): void {
    this.#isHeld = true;
    this.#ended.abort();
  }

  /** Its place in the version's count goes to another. */
  #drop(): void {
    this.dropped++;
    this.#counted--;
    this.#fill();
  }

  #fill(): void {
    const { maxConcurrentSamples, maxRequiredSamples } = this.limits;
    while (
      !this.#isHeld &&
      this.#active.size < maxConcurrentSamples &&
      this.#counted < maxRequiredSamples &&
      this.#active.size + this.#queue.length < this.#left
    )
      void this.#sample(this.#again.shift() ?? this.port.draw());
    this.#clock.isBusy = this.#active.size > 0;
  }

  async #sample(task: DrawnTask): Promise<void> {
    this.#active.set(task.index, task);
    this.#counted++;
    const version = this.#version;
    const began = performance.now();
    try {
      const rollouts = await this.port.run(task, version, this.#ended.signal);
      this.generated++;
      const seconds = (performance.now() - began) / 1000;
      this.#queue.push({
        task,
        rollouts,
        seconds,
        oldestVersion: oldestVersionOf(rollouts, version),
      });
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#failure = error;
    }
    this.#active.delete(task.index);
    this.#fill();
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async #change(): Promise<void> {
    if (this.#failure === null)
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    if (this.#failure !== null) throw this.#failure;
  }
}

/** Of tokens that train; `otherwise` where none names its version. */
function oldestVersionOf(rollouts: readonly RolloutResult[], otherwise: number): number {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { segments } of rollouts)
    for (const { mask, policyVersions } of segments)
      policyVersions.forEach((version, i) => {
        if (mask[i] === 1 && version !== null) oldest = Math.min(oldest, version);
      });
  return Number.isFinite(oldest) ? oldest : otherwise;
}
