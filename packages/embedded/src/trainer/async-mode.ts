import type { EmbeddedSpec } from "@liverl/contract/launch";
import type { RolloutResult } from "@liverl/contract/rollout";
import type { RolloutClient } from "#trainer/rollout-client.ts";
import { groupRequests } from "#trainer/rollout-requests.ts";
import { Rollouter, type RollouterLimits, type SampledGroup } from "#trainer/rollouter.ts";
import type { RecordTokens, RecordUpdate, SamplingMode } from "#trainer/sampling-mode.ts";
import type { Stopwatch } from "#trainer/stopwatch.ts";
import { mean } from "#trainer/summarize.ts";
import { type BatchTools, type TrainedBatch, trainBatch } from "#trainer/train-batch.ts";
import { drawTask, type TrainerState, versionOf } from "#trainer/trainer-state.ts";

interface AsyncTools extends BatchTools {
  client: Pick<RolloutClient, "runAll" | "cancelUnfinished">;
  record: RecordUpdate;
  recordTokens: RecordTokens;
}

/** What verl's fully_async derives from its values, in samples (prompts). */
export function asyncLimits({ batch, rollout, async: values }: EmbeddedSpec): RollouterLimits & {
  requiredSamples: number;
} {
  const requiredSamples = batch.train_batch_size * values.require_batches;
  const maxRequiredSamples = Math.floor(
    requiredSamples * (1 + values.staleness_threshold) * values.trigger_parameter_sync_step,
  );
  return {
    requiredSamples,
    maxRequiredSamples,
    maxConcurrentSamples: Math.min(Math.ceil(rollout.concurrency / batch.n), maxRequiredSamples),
    maxStaleness: Math.ceil(values.staleness_threshold),
  };
}

/** Engines sample while the trainer updates; a step is the updates between two weight syncs. */
export class AsyncMode implements SamplingMode {
  readonly interrupt = "abort";
  readonly #rollouter: Rollouter;
  readonly #limits: ReturnType<typeof asyncLimits>;
  #step: { groups: SampledGroup[]; waitS: number } = { groups: [], waitS: 0 };

  constructor(
    readonly tools: AsyncTools,
    readonly state: TrainerState,
  ) {
    const { spec } = tools;
    const { progress } = state;
    this.#limits = asyncLimits(spec);
    const perStep = this.#limits.requiredSamples * spec.async.trigger_parameter_sync_step;
    this.#rollouter = new Rollouter(
      { draw: () => drawTask(progress), run: (...asked) => this.#run(...asked) },
      this.#limits,
      {
        again: progress.untrained,
        left: perStep * (spec.trainer.total_training_steps - progress.step),
      },
    );
    this.#rollouter.generated = progress.generatedSamples;
    this.#rollouter.dropped = progress.droppedStaleSamples;
    this.#rollouter.begin(versionOf(progress));
  }

  /** Ids name the weights that a group was begun under: no other life of the trainer makes the same ones from other weights. */
  #run(
    { index, taskRef }: { index: number; taskRef: string },
    version: number,
    signal: AbortSignal,
  ): Promise<RolloutResult[]> {
    const { spec, client, runId } = this.tools;
    const groupId = `${runId}.v${version}.g${index}`;
    const step = this.state.progress.step + 1;
    return client.runAll(groupRequests(spec, { runId, groupId, taskRef, step }), signal);
  }

  async train(watch: Stopwatch): Promise<TrainedBatch[]> {
    const { spec, record, recordTokens } = this.tools;
    const { progress } = this.state;
    const version = versionOf(progress);
    const batches: TrainedBatch[] = [];
    this.#step = { groups: [], waitS: 0 };
    for (let update = 0; update < spec.async.trigger_parameter_sync_step; update++) {
      const groups = await watch.time("gen", () =>
        this.#rollouter.take(this.#limits.requiredSamples, version),
      );
      this.#step.groups.push(...groups);
      const place = { step: progress.step + 1, update, version, isSynced: update === 0 };
      await record({
        ...place,
        groups: groups.map(({ rollouts }) => rollouts.map(({ rolloutId }) => rolloutId)),
      });
      const rollouts = groups.map((group) => group.rollouts);
      const batch = await trainBatch(this.tools, this.state, rollouts, watch, update === 0);
      await watch.time("record_tokens", () => recordTokens(place, batch));
      batches.push(batch);
    }
    progress.staleTrajectories += this.#step.groups
      .filter(({ oldestVersion }) => oldestVersion < version)
      .reduce((sum, { rollouts }) => sum + rollouts.length, 0);
    this.#step.waitS = watch.of("gen");
    progress.step++;
    progress.weightVersion = version + 1;
    return batches;
  }

  async beforeSync(): Promise<void> {
    if (!this.tools.spec.async.partial_rollout) await this.#rollouter.hold();
  }

  afterSync(): Record<string, number> {
    const rollouter = this.#rollouter;
    const { progress } = this.state;
    const made = rollouter.generated - progress.generatedSamples;
    progress.generatedSamples = rollouter.generated;
    progress.droppedStaleSamples = rollouter.dropped;
    const { busyS, totalS, active, queued } = rollouter.begin(versionOf(progress));
    return {
      "fully_async/total_wait_time": this.#step.waitS,
      "fully_async/rollouter/active_time": busyS,
      "fully_async/rollouter/version_time": totalS,
      "fully_async/rollouter/idle_ratio": 1 - busyS / totalS,
      "fully_async/rollouter/step_generated_samples": made,
      ...processingTimes(this.#step.groups.map(({ seconds }) => seconds)),
      "fully_async/count/current_param_version": versionOf(progress),
      "fully_async/count/total_generated_samples": rollouter.generated,
      "fully_async/count/staleness_samples": active + queued,
      "fully_async/count/dropped_stale_samples": rollouter.dropped,
      "fully_async/count/stale_trajectory_processed": progress.staleTrajectories,
      "fully_async/monitor/active_tasks_size": active,
      "fully_async/monitor/queue/mq_queue_size": queued,
      "fully_async/static/required_samples": this.#limits.requiredSamples,
      "fully_async/static/max_required_samples": this.#limits.maxRequiredSamples,
      "fully_async/static/max_concurrent_samples": this.#limits.maxConcurrentSamples,
      "fully_async/static/staleness_threshold": this.tools.spec.async.staleness_threshold,
    };
  }

  untrained() {
    return this.#rollouter.untrained();
  }

  async close(): Promise<void> {
    this.#rollouter.end();
    await this.tools.client.cancelUnfinished(this.tools.runId);
  }
}

/** Seconds that samples took, from the request to the last rollout. */
function processingTimes(seconds: readonly number[]): Record<string, number> {
  const sorted = [...seconds].sort((a, b) => a - b);
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const prefix = "fully_async/processing_time";
  return {
    [`${prefix}/avg`]: mean(sorted),
    [`${prefix}/min`]: sorted[0] ?? Number.NaN,
    [`${prefix}/max`]: sorted.at(-1) ?? Number.NaN,
    [`${prefix}/tp50`]: quantile(0.5),
    [`${prefix}/tp95`]: quantile(0.95),
    [`${prefix}/tp99`]: quantile(0.99),
  };
}
