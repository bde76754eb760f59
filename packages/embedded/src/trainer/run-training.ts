import { join } from "node:path";
import { parameterCount } from "@liverl/contract/embedded-policy";
import { FINAL_EVALUATION_KEY } from "@liverl/contract/metric";
import type { TrainerPlan, TrainerResult } from "@liverl/contract/trainer";
import { writeFileAtomic } from "@liverl/durable/atomic-file";
import type { Logger } from "pino";
import { readModelFolder } from "#model/read-model-folder.ts";
import { LineFile } from "#trainer/append-line.ts";
import { AsyncMode } from "#trainer/async-mode.ts";
import { saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { CommandReader } from "#trainer/commands.ts";
import { EngineClient } from "#trainer/engine-client.ts";
import { type Evaluation, evaluate, validationMetrics } from "#trainer/evaluate.ts";
import { EventLog } from "#trainer/event-log.ts";
import { firstState } from "#trainer/first-state.ts";
import { type HeldOutTasks, heldOutTasks } from "#trainer/held-out-tasks.ts";
import { measurePeak } from "#trainer/measure-peak.ts";
import { openBatchTools, THREADS } from "#trainer/open-batch-tools.ts";
import { RolloutClient } from "#trainer/rollout-client.ts";
import type { RecordUpdate, SamplingMode } from "#trainer/sampling-mode.ts";
import { stepLine } from "#trainer/step-line.ts";
import { stepMetrics } from "#trainer/step-metrics.ts";
import { Stopwatch } from "#trainer/stopwatch.ts";
import { forgetTokensAfter, tokenRecorder } from "#trainer/token-record.ts";
import type { BatchTools } from "#trainer/train-batch.ts";
import { syncMode } from "#trainer/train-step.ts";
import { type Progress, type TrainerState, versionOf } from "#trainer/trainer-state.ts";
import { trainingStarted } from "#trainer/training-started.ts";
import { storeWeights } from "#trainer/weight-store.ts";

type Ending = Pick<TrainerResult, "outcome" | "stoppedBy">;

/** One life of a training run: from the warm-up or a checkpoint to `result.json`. */
export class TrainingRun {
  readonly #plan: TrainerPlan;
  readonly #log: Logger;
  readonly #events: EventLog;
  readonly #metrics: LineFile;
  readonly #updates: LineFile;
  readonly #client: RolloutClient;
  readonly #engines: EngineClient;
  readonly #commands: CommandReader;
  readonly #heldOut: HeldOutTasks;

  private constructor(
    plan: TrainerPlan,
    log: Logger,
    { events, metrics, updates }: { events: EventLog; metrics: LineFile; updates: LineFile },
  ) {
    this.#plan = plan;
    this.#log = log;
    this.#events = events;
    this.#metrics = metrics;
    this.#updates = updates;
    this.#client = new RolloutClient(plan.runner, log);
    this.#engines = new EngineClient(plan, log);
    this.#commands = new CommandReader(plan.commandsPath);
    this.#heldOut = heldOutTasks(plan.spec.seed, plan.spec.trainer.val_tasks);
  }

  static async open(plan: TrainerPlan, log: Logger): Promise<TrainingRun> {
    return new TrainingRun(plan, log, {
      events: await EventLog.open(plan.eventsPath, plan.attempt),
      metrics: await LineFile.open(plan.metricsPath),
      updates: await LineFile.open(plan.updatesPath),
    });
  }

  async run(): Promise<TrainerResult> {
    const folder = await this.#events.phase(
      "model",
      () => readModelFolder(this.#plan.modelDir),
      ({ config }) => `${parameterCount(config).toLocaleString("en")} parameters`,
    );
    const { state, resumed } = await firstState(this.#plan, folder, {
      events: this.#events,
      log: this.#log,
      threads: THREADS,
    });
    await forgetTokensAfter(this.#plan.trainedTokensDir, state.progress.step);
    await this.#client.cancelUnfinished(this.#plan.runId);
    await this.#events.phase(
      "weights",
      () => this.#sync(state, "keep"),
      () => `version ${versionOf(state.progress)}`,
    );
    await this.#events.phase(
      "evaluation",
      () => this.#measureBefore(state),
      () => `held-out reward ${state.progress.heldOutBefore?.toFixed(3)}`,
    );
    const peak = await measurePeak(THREADS);
    const tools = await openBatchTools(this.#plan, folder.config, state, peak);
    this.#log.info(
      { peakGflops: peak.perSecond / 1e9, resumed, step: state.progress.step },
      "training begins",
    );
    const startedAt = await trainingStarted(join(this.#plan.checkpointsDir, ".."));
    await this.#events.emit({ kind: "phase", id: "rollouts", state: "start", detail: null });
    const mode = this.#openMode(tools, state);
    const ending = await this.#trainSteps(tools, mode, state);
    await mode.close();
    const trainSeconds = (Date.now() - Date.parse(startedAt)) / 1000;
    return this.#finish(state, ending, trainSeconds);
  }

  #openMode(tools: BatchTools, state: TrainerState): SamplingMode {
    const { attempt } = this.#plan;
    const record: RecordUpdate = (update) => this.#updates.append({ ...update, attempt });
    const recordTokens = tokenRecorder(this.#plan, this.#log);
    const all = { ...tools, client: this.#client, record, recordTokens };
    return tools.spec.algorithm.trainer_mode === "sync"
      ? syncMode(all, state)
      : new AsyncMode(all, state);
  }

  /** Stores the weights as a version and tells every engine. */
  async #sync(state: TrainerState, mode: "abort" | "keep"): Promise<void> {
    const began = performance.now();
    const { step } = state.progress;
    const version = versionOf(state.progress);
    const { path, bytes } = await storeWeights(this.#plan.weightsDir, state.parameters, version);
    await this.#engines.updateWeights(path, version, mode);
    await this.#events.emit({
      kind: "weight-sync",
      step,
      version,
      seconds: (performance.now() - began) / 1000,
      bytes,
    });
  }

  async #measureBefore(state: TrainerState): Promise<void> {
    if (state.progress.heldOutBefore !== null) return;
    const { runId, spec } = this.#plan;
    // A fork begins where its parent was.
    const { step } = state.progress;
    const measured = await evaluate(this.#client, {
      runId,
      spec,
      step,
      label: `e${step}`,
      tasks: this.#heldOut.before,
    });
    state.progress.heldOutBefore = measured.reward;
    await this.#metrics.append({ step, data: validationMetrics(measured) });
    await this.#events.emit({ kind: "evaluation", step, ...measured, final: false });
  }

  async #trainSteps(tools: BatchTools, mode: SamplingMode, state: TrainerState): Promise<Ending> {
    const { trainer } = this.#plan.spec;
    const { progress } = state;
    let isFirst = true;
    while (!progress.reachedGoal && progress.step < trainer.total_training_steps) {
      const watch = new Stopwatch();
      const version = versionOf(progress);
      const batches = await mode.train(watch);
      const metrics = stepMetrics(tools, batches, { step: progress.step, version, watch });
      if (isFirst)
        await this.#events.emit({ kind: "phase", id: "rollouts", state: "end", detail: null });
      isFirst = false;
      await watch.time("update_weights", async () => {
        await mode.beforeSync();
        await this.#sync(state, mode.interrupt);
      });
      const ofMode = mode.afterSync();
      const orders = await this.#takeOrders(progress.step);
      const validation = await this.#validate(progress, watch);
      const wantsCheckpoint =
        progress.step % trainer.save_freq === 0 ||
        progress.step === trainer.total_training_steps ||
        progress.reachedGoal ||
        orders.length > 0;
      if (wantsCheckpoint) await watch.time("save_checkpoint", () => this.#checkpoint(mode, state));
      await this.#writeMetrics(metrics, watch, validation, progress.step, ofMode);
      if (orders.includes("stop-after-step")) return { outcome: "stopped", stoppedBy: "command" };
    }
    return { outcome: "done", stoppedBy: progress.reachedGoal ? "stop_at_val_reward" : "plan" };
  }

  /** The in-run evaluation, in the steps that have one; null in the others. */
  async #validate(progress: Progress, watch: Stopwatch): Promise<Evaluation | null> {
    const { test_freq, stop_at_val_reward } = this.#plan.spec.trainer;
    if (progress.step % test_freq !== 0) return null;
    const measured = await watch.time("testing", () => this.#evaluateInRun(progress.step));
    progress.reachedGoal = stop_at_val_reward !== null && measured.reward >= stop_at_val_reward;
    return measured;
  }

  async #takeOrders(step: number): Promise<string[]> {
    const commands = await this.#commands.take();
    for (const { id, command } of commands)
      await this.#events.emit({ kind: "command", id, command, step });
    return commands.map(({ command }) => command);
  }

  async #evaluateInRun(step: number): Promise<Evaluation> {
    const { runId, spec } = this.#plan;
    const measured = await evaluate(this.#client, {
      runId,
      spec,
      step,
      label: `e${step}`,
      tasks: this.#heldOut.inRun,
    });
    await this.#events.emit({ kind: "evaluation", step, ...measured, final: false });
    return measured;
  }

  async #checkpoint(mode: SamplingMode, state: TrainerState): Promise<void> {
    const began = performance.now();
    // A copy: tasks may be drawn while it is being written.
    const progress = { ...state.progress, untrained: mode.untrained() };
    const saved = await saveCheckpoint(this.#plan.checkpointsDir, this.#plan.modelDir, {
      ...state,
      progress,
    });
    await this.#events.emit({
      kind: "checkpoint",
      step: state.progress.step,
      seconds: (performance.now() - began) / 1000,
      ...saved,
    });
  }

  async #writeMetrics(
    metrics: Record<string, number>,
    watch: Stopwatch,
    validation: Evaluation | null,
    step: number,
    ofMode: Record<string, number>,
  ): Promise<void> {
    const timings = watch.metrics();
    const stepS = timings["timing_s/step"];
    // The trainer idles while it waits for rollouts. In sync mode none is in flight in the rest of the step.
    const generating = watch.of("gen") + watch.of("testing");
    this.#log.info(stepLine({ ...metrics, ...timings }), `step ${step}`);
    await this.#metrics.append({
      step,
      data: {
        ...metrics,
        ...timings,
        "perf/time_per_step": stepS,
        "perf/throughput": metrics["perf/total_num_tokens"] / stepS,
        "fully_async/trainer/idle_ratio": generating / stepS,
        "fully_async/rollouter/idle_ratio": 1 - generating / stepS,
        ...ofMode,
        ...(validation === null ? {} : validationMetrics(validation)),
      },
    });
  }

  async #finish(state: TrainerState, ending: Ending, trainSeconds: number): Promise<TrainerResult> {
    const { runId, spec, resultPath } = this.#plan;
    const { progress } = state;
    const heldOutReward =
      ending.outcome === "done" ? await this.#measureAfter(progress.step) : null;
    const result: TrainerResult = {
      runId,
      ...ending,
      steps: progress.step,
      plannedSteps: spec.trainer.total_training_steps,
      heldOutBefore: progress.heldOutBefore ?? Number.NaN,
      heldOutReward,
      trainSeconds,
      warmupSeconds: progress.warmupSeconds,
      rollouts: progress.rollouts,
      calls: progress.calls,
      tokens: progress.tokens,
      maxLogprobDiff: progress.maxLogprobDiff,
    };
    await writeFileAtomic(resultPath, JSON.stringify(result));
    return result;
  }

  /** The closing measure, on tasks that no in-run evaluation used. */
  async #measureAfter(step: number): Promise<number> {
    const { runId, spec } = this.#plan;
    const tasks = this.#heldOut.final;
    const measured = await evaluate(this.#client, { runId, spec, step, label: `f${step}`, tasks });
    const { reward } = measured;
    await this.#metrics.append({
      step,
      data: { [FINAL_EVALUATION_KEY]: reward },
    });
    await this.#events.emit({ kind: "evaluation", step, ...measured, final: true });
    return reward;
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#metrics.close();
    await this.#updates.close();
    await this.#events.file.close();
  }
}
