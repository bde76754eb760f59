import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parameterCount } from "@liverl/contract/embedded-policy";
import { hash32 } from "@liverl/contract/random";
import type { TrainerPlan, TrainerResult } from "@liverl/contract/trainer";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import type { Logger } from "pino";
import { z } from "zod";
import { newAdam } from "#learner/adam.ts";
import { Learner } from "#learner/learner.ts";
import { type ModelFolder, readModelFolder } from "#model/read-model-folder.ts";
import { decodeSafetensors } from "#safetensors/decode-safetensors.ts";
import { LineFile } from "#trainer/append-line.ts";
import { listCheckpointSteps, loadCheckpoint, saveCheckpoint } from "#trainer/checkpoint-store.ts";
import { CommandReader } from "#trainer/commands.ts";
import { EngineClient } from "#trainer/engine-client.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { EventLog } from "#trainer/event-log.ts";
import { type HeldOutTasks, heldOutTasks } from "#trainer/held-out-tasks.ts";
import { measurePeakFlops } from "#trainer/measure-peak.ts";
import { RolloutClient } from "#trainer/rollout-client.ts";
import { Stopwatch } from "#trainer/stopwatch.ts";
import { type StepTools, trainStep } from "#trainer/train-step.ts";
import { asFork, type TrainerState } from "#trainer/trainer-state.ts";
import { warmStart } from "#trainer/warm-start.ts";
import { storeWeights } from "#trainer/weight-store.ts";

/** More threads gain little on a model of this size, and wait by spinning. */
const THREADS = 1;
/** Warm-up updates between two reports of progress. */
const REPORT_EVERY = 10;
const VALIDATION_KEY = "val-core/liverl/repair/acc/mean@1";
const Started = z.object({ at: z.string() });

type Ending = Pick<TrainerResult, "outcome" | "stoppedBy">;

/** One life of a training run: from the warm-up or a checkpoint to `result.json`. */
export class TrainingRun {
  readonly #plan: TrainerPlan;
  readonly #log: Logger;
  readonly #events: EventLog;
  readonly #metrics: LineFile;
  readonly #client: RolloutClient;
  readonly #engines: EngineClient;
  readonly #commands: CommandReader;
  readonly #heldOut: HeldOutTasks;

  private constructor(plan: TrainerPlan, log: Logger, events: EventLog, metrics: LineFile) {
    this.#plan = plan;
    this.#log = log;
    this.#events = events;
    this.#metrics = metrics;
    this.#client = new RolloutClient(plan.runner, log);
    this.#engines = new EngineClient(plan, log);
    this.#commands = new CommandReader(plan.commandsPath);
    this.#heldOut = heldOutTasks(plan.spec.seed, plan.spec.trainer.val_tasks);
  }

  static async open(plan: TrainerPlan, log: Logger): Promise<TrainingRun> {
    return new TrainingRun(
      plan,
      log,
      await EventLog.open(plan.eventsPath, plan.attempt),
      await LineFile.open(plan.metricsPath),
    );
  }

  async run(): Promise<TrainerResult> {
    const { spec } = this.#plan;
    const folder = await this.#events.phase(
      "model",
      () => readModelFolder(this.#plan.modelDir),
      ({ config }) => `${parameterCount(config).toLocaleString("en")} parameters`,
    );
    const { state, resumed } = await this.#firstState(folder);
    await this.#client.cancelUnfinished(this.#plan.runId);
    await this.#events.phase(
      "weights",
      () => this.#sync(state),
      () => `version ${state.progress.step}`,
    );
    await this.#events.phase(
      "evaluation",
      () => this.#measureBefore(state),
      () => `held-out reward ${state.progress.heldOutBefore?.toFixed(3)}`,
    );
    const tools: StepTools = {
      runId: this.#plan.runId,
      spec,
      config: folder.config,
      client: this.#client,
      learner: await Learner.open(folder.config, state.parameters, THREADS),
      reference:
        spec.algorithm.kl_loss_coef > 0
          ? decodeSafetensors(await readFile(join(this.#plan.weightsDir, "v0.safetensors")))
          : null,
      peakFlops: await measurePeakFlops(THREADS),
    };
    this.#log.info(
      { peakGflops: tools.peakFlops / 1e9, resumed, step: state.progress.step },
      "training begins",
    );
    const startedAt = await this.#startedAt();
    await this.#events.emit({ kind: "phase", id: "rollouts", state: "start", detail: null });
    const ending = await this.#trainSteps(tools, state);
    const trainSeconds = (Date.now() - Date.parse(startedAt)) / 1000;
    return this.#finish(state, ending, trainSeconds);
  }

  async #firstState(folder: ModelFolder): Promise<{ state: TrainerState; resumed: boolean }> {
    const { checkpointsDir, resumeFrom, warmupDir, spec } = this.#plan;
    const steps = await listCheckpointSteps(checkpointsDir);
    const wanted = resumeFrom === "latest" ? steps.at(-1) : resumeFrom;
    if (wanted !== undefined && steps.includes(wanted)) {
      const { stateSha256, ...state } = await loadCheckpoint(checkpointsDir, wanted);
      await this.#events.emit({ kind: "resume", step: wanted, stateSha256 });
      const { resume_from_path } = spec.trainer;
      const isOrigin = resume_from_path?.endsWith(`global_step_${wanted}`) ?? false;
      return { state: isOrigin ? asFork(state) : state, resumed: true };
    }
    if (resumeFrom !== "latest" && resumeFrom !== 0)
      throw new Error(`there is no complete checkpoint of step ${resumeFrom} in ${checkpointsDir}`);
    const { model } = spec;
    const warm = await this.#events.phase(
      "warmup",
      () =>
        warmStart(folder, {
          cacheDir: warmupDir,
          seed: spec.seed,
          steps: model.warmup_steps,
          threads: THREADS,
          onStep: async (step, loss) => {
            if ((step + 1) % REPORT_EVERY !== 0) return;
            const detail = `${step + 1} of ${model.warmup_steps} updates, loss ${loss.toFixed(3)}`;
            this.#log.info(`warm-up: ${detail}`);
            await this.#events.emit({ kind: "phase", id: "warmup", state: "progress", detail });
          },
        }),
      ({ seconds, cached }) =>
        cached ? "from the cache" : `${model.warmup_steps} updates in ${seconds.toFixed(1)} s`,
    );
    const progress = {
      step: 0,
      adamUpdates: 0,
      taskRandomState: hash32(`order ${spec.seed}`),
      heldOutBefore: null,
      rollouts: 0,
      calls: 0,
      tokens: 0,
      maxLogprobDiff: 0,
      reachedGoal: false,
      warmupSeconds: warm.cached ? 0 : warm.seconds,
    };
    return {
      state: { progress, parameters: warm.parameters, adam: newAdam(warm.parameters) },
      resumed: false,
    };
  }

  /** Stores the weights as the version of the step and tells every engine. */
  async #sync(state: TrainerState): Promise<void> {
    const began = performance.now();
    const { step } = state.progress;
    const { path, bytes } = await storeWeights(this.#plan.weightsDir, state.parameters, step);
    await this.#engines.updateWeights(path, step);
    await this.#events.emit({
      kind: "weight-sync",
      step,
      version: step,
      seconds: (performance.now() - began) / 1000,
      bytes,
    });
  }

  async #measureBefore(state: TrainerState): Promise<void> {
    if (state.progress.heldOutBefore !== null) return;
    const { runId, spec } = this.#plan;
    const { reward, tasks } = await evaluate(this.#client, {
      runId,
      spec,
      step: 0,
      label: "e0",
      tasks: this.#heldOut.before,
    });
    state.progress.heldOutBefore = reward;
    await this.#metrics.append({ step: 0, data: { [VALIDATION_KEY]: reward } });
    await this.#events.emit({ kind: "evaluation", step: 0, reward, tasks, final: false });
  }

  /** When the first training rollout was asked for, in the first life of the run. */
  async #startedAt(): Promise<string> {
    const path = join(this.#plan.checkpointsDir, "..", "training-started.json");
    const known = await readJson(path, Started);
    if (known) return known.at;
    const at = new Date().toISOString();
    await writeFileAtomic(path, JSON.stringify({ at }));
    return at;
  }

  async #trainSteps(tools: StepTools, state: TrainerState): Promise<Ending> {
    const { trainer } = this.#plan.spec;
    const { progress } = state;
    let isFirst = true;
    while (!progress.reachedGoal && progress.step < trainer.total_training_steps) {
      const watch = new Stopwatch();
      const metrics = await trainStep(tools, state, watch);
      if (isFirst)
        await this.#events.emit({ kind: "phase", id: "rollouts", state: "end", detail: null });
      isFirst = false;
      await watch.time("update_weights", () => this.#sync(state));
      const orders = await this.#takeOrders(progress.step);
      const isLast = progress.step === trainer.total_training_steps;
      let validation: number | null = null;
      if (progress.step % trainer.test_freq === 0)
        validation = await watch.time("testing", () => this.#evaluateInRun(progress.step));
      progress.reachedGoal =
        validation !== null &&
        trainer.stop_at_val_reward !== null &&
        validation >= trainer.stop_at_val_reward;
      const wantsCheckpoint =
        progress.step % trainer.save_freq === 0 ||
        isLast ||
        progress.reachedGoal ||
        orders.length > 0;
      if (wantsCheckpoint) await watch.time("save_checkpoint", () => this.#checkpoint(state));
      await this.#writeMetrics(metrics, watch, validation, progress.step);
      if (orders.includes("stop-after-step")) return { outcome: "stopped", stoppedBy: "command" };
    }
    return { outcome: "done", stoppedBy: progress.reachedGoal ? "stop_at_val_reward" : "plan" };
  }

  async #takeOrders(step: number): Promise<string[]> {
    const commands = await this.#commands.take();
    for (const { id, command } of commands)
      await this.#events.emit({ kind: "command", id, command, step });
    return commands.map(({ command }) => command);
  }

  async #evaluateInRun(step: number): Promise<number> {
    const { runId, spec } = this.#plan;
    const { reward, tasks } = await evaluate(this.#client, {
      runId,
      spec,
      step,
      label: `e${step}`,
      tasks: this.#heldOut.inRun,
    });
    await this.#events.emit({ kind: "evaluation", step, reward, tasks, final: false });
    return reward;
  }

  async #checkpoint(state: TrainerState): Promise<void> {
    const began = performance.now();
    const saved = await saveCheckpoint(this.#plan.checkpointsDir, this.#plan.modelDir, state);
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
    validation: number | null,
    step: number,
  ): Promise<void> {
    const timings = watch.metrics();
    const stepS = timings["timing_s/step"];
    // In sync mode the trainer idles while rollouts run, and no rollout is in flight in the rest of the step.
    const generating = watch.of("gen") + watch.of("testing");
    await this.#metrics.append({
      step,
      data: {
        ...metrics,
        ...timings,
        "perf/time_per_step": stepS,
        "perf/throughput": metrics["perf/total_num_tokens"] / stepS,
        "fully_async/trainer/idle_ratio": generating / stepS,
        "fully_async/rollouter/idle_ratio": 1 - generating / stepS,
        ...(validation === null ? {} : { [VALIDATION_KEY]: validation }),
      },
    });
  }

  async #finish(
    { progress }: TrainerState,
    ending: Ending,
    trainSeconds: number,
  ): Promise<TrainerResult> {
    const { runId, spec, resultPath } = this.#plan;
    let heldOutReward: number | null = null;
    if (ending.outcome === "done") {
      const { reward, tasks } = await evaluate(this.#client, {
        runId,
        spec,
        step: progress.step,
        label: `f${progress.step}`,
        tasks: this.#heldOut.final,
      });
      heldOutReward = reward;
      await this.#metrics.append({
        step: progress.step,
        data: { "val-core/liverl/repair-final/acc/mean@1": reward },
      });
      await this.#events.emit({
        kind: "evaluation",
        step: progress.step,
        reward,
        tasks,
        final: true,
      });
    }
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

  async close(): Promise<void> {
    await this.#client.close();
    await this.#metrics.close();
    await this.#events.file.close();
  }
}
