import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { RayJobSpec } from "@liverl/contract/verl-launch";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { Context } from "#context.ts";
import { JobNotes } from "#drivers/verl/job-notes.ts";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { RayLog } from "#drivers/verl/ray-log.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { isTerminalJob, type JobDetails } from "#ray/job-details.ts";
import { quoteForShell } from "#ray/quote-for-shell.ts";
import { buildRayClient, type RayClient } from "#ray/ray-client.ts";
import { redactValues } from "#ray/redact-values.ts";
import { retryRay } from "#ray/retry-ray.ts";
import { zipFiles } from "#ray/zip-files.ts";

/** A cluster that does not answer is waited for this long before a start is given up; a job that runs, for ever. */
const PATIENCE_MS = 120_000;
const ASK_EVERY_MS = 2_000;
const ASK_AGAIN_MOST_MS = 15_000;
const LONGEST_DETAIL = 300;

/** What an attempt knows of its job over restarts of control. Written before the job is asked for. */
const JobRecord = z.object({
  submissionId: z.string(),
  address: z.string(),
  /** The head's life in which it was asked for. */
  sessionName: z.string(),
  /** Ray has said that it has the job. */
  isAccepted: z.boolean(),
  end: z.object({ code: z.number().nullable(), detail: z.string().nullable() }).nullable(),
});
type JobRecord = z.infer<typeof JobRecord>;

export interface RayJobParts {
  runId: string;
  attempt: number;
  files: VerlFiles;
  target: RayJobSpec["target"];
  /** verl's module and overrides, behind the interpreter. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Files of the job's working directory. */
  workingDir: ReadonlyMap<string, string | Uint8Array>;
}

/** verl as a job of a Ray cluster. Its submission id, `<run>-<attempt>`, makes a second start find the first. */
export class RayJob implements VerlJob {
  readonly #ctx: Pick<Context, "db" | "live" | "log">;
  readonly #parts: RayJobParts;
  readonly #ray: RayClient;
  readonly #log: RayLog;
  readonly #notes: JobNotes;
  #last: { state: JobState; askAgainAt: number } | null = null;
  #failures = 0;

  constructor(ctx: Pick<Context, "db" | "live" | "log">, parts: RayJobParts) {
    const { attempt, files, target } = parts;
    this.#ctx = ctx;
    this.#parts = parts;
    this.#ray = buildRayClient({ address: target.address, tokenPath: target.token_path });
    this.#log = new RayLog(this.#ray.place, this.submissionId, files.console(attempt));
    this.#notes = new JobNotes(ctx, parts);
  }

  get submissionId(): string {
    return `${this.#parts.runId}-${this.#parts.attempt}`;
  }

  async prepare(progress: (detail: string) => void, signal: AbortSignal): Promise<void> {
    await mkdir(dirname(this.#parts.files.console(this.#parts.attempt)), { recursive: true });
    // Said now, while somebody looks, rather than by the cluster.
    this.#entrypoint();
    if (await this.#record()) return;
    const { ray_version } = await this.#patiently(signal, progress, () => this.#ray.version());
    progress(`Ray ${ray_version} at ${this.#parts.target.address}`);
  }

  async start(signal: AbortSignal): Promise<void> {
    const known = await this.#record();
    if (known?.isAccepted) return;
    const tell = (detail: string) => this.#notes.tellPhase(detail);
    const { session_name } = await this.#patiently(signal, tell, () => this.#ray.version());
    await this.#keep({
      submissionId: this.submissionId,
      address: this.#parts.target.address,
      sessionName: session_name,
      isAccepted: false,
      end: null,
    });
    await this.#patiently(signal, tell, () => this.#submit(signal));
    this.#last = null;
  }

  /** Asks Ray at most once in two seconds, and less often while it does not answer. */
  async state(): Promise<JobState> {
    if (this.#last && performance.now() < this.#last.askAgainAt) return this.#last.state;
    const state = await this.#ask();
    this.#failures = state.kind === "unknown" ? this.#failures + 1 : 0;
    const waitMs = Math.min(ASK_EVERY_MS * 2 ** this.#failures, ASK_AGAIN_MOST_MS);
    const askAgainAt = performance.now() + waitMs * (0.8 + 0.4 * Math.random());
    await this.#notes.change(this.#last?.state ?? null, state, "Ray");
    this.#last = { state, askAgainAt };
    return state;
  }

  async stop(signal?: AbortSignal): Promise<void> {
    let isTold = false;
    for (;;) {
      try {
        const job = await this.#ray.getJob(this.submissionId);
        if (isTerminalJob(job)) break;
        await this.#ray.stopJob(this.submissionId);
      } catch (error) {
        if (error instanceof AppError && error.code === "NOT_FOUND") break;
        if (!(error instanceof AppError)) throw error;
        if (!isTold) await this.#notes.alert(`The job is not stopped yet: ${error.userMessage}`);
        isTold = true;
      }
      await sleep(1_000, undefined, { signal });
    }
    await this.#log.complete();
    await this.#notes.followMetrics(true);
  }

  async followLog(signal: AbortSignal): Promise<void> {
    const following = this.#log.follow(signal, (error) =>
      this.#ctx.log.debug({ err: error, runId: this.#parts.runId }, "the job's log broke off"),
    );
    while (!signal.aborted) {
      try {
        await this.#notes.followMetrics(false);
      } catch (error) {
        this.#ctx.log.warn({ err: error, runId: this.#parts.runId }, "console metrics wait");
      }
      await sleep(ASK_EVERY_MS / 2, undefined, { signal }).catch(() => undefined);
    }
    await following;
  }

  async #ask(): Promise<JobState> {
    const record = await this.#record();
    if (!record) return { kind: "ended", code: null, detail: "it was never submitted" };
    if (record.end) return { kind: "ended", ...record.end };
    try {
      const job = await this.#ray.getJob(record.submissionId);
      if (!record.isAccepted) await this.#keep({ ...record, isAccepted: true });
      return isTerminalJob(job) ? await this.#end(record, endOf(job)) : this.#underWay(job);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code !== "NOT_FOUND") return { kind: "unknown", detail: error.userMessage };
      return this.#missing(record);
    }
  }

  /** Ray answers and has no such job. */
  async #missing(record: JobRecord): Promise<JobState> {
    try {
      const { session_name } = await this.#ray.version();
      if (session_name !== record.sessionName)
        return await this.#end(record, {
          code: null,
          detail: `the head of Ray at ${record.address} was restarted: the job is gone with it`,
        });
      if (record.isAccepted)
        return await this.#end(record, {
          code: null,
          detail: `Ray at ${record.address} no longer knows the job: somebody deleted it`,
        });
      // Control was killed between its record and Ray's answer.
      await this.#submit();
      return { kind: "waiting", detail: "being submitted" };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { kind: "unknown", detail: error.userMessage };
    }
  }

  #underWay(job: JobDetails): JobState {
    if (job.status !== "PENDING") return { kind: "running" };
    return { kind: "waiting", detail: this.#words(job.message) };
  }

  /** All that it printed is here before it counts as ended: the reason and the last steps stand there. */
  async #end(record: JobRecord, end: NonNullable<JobRecord["end"]>): Promise<JobState> {
    const told = { ...end, detail: this.#words(end.detail) };
    await this.#log.complete();
    await this.#notes.followMetrics(true);
    await this.#keep({ ...record, isAccepted: true, end: told });
    return { kind: "ended", ...told };
  }

  async #submit(signal?: AbortSignal): Promise<void> {
    const { runId, attempt, target, env, workingDir } = this.#parts;
    const working_dir = await this.#ray.ensurePackage(zipFiles(workingDir), signal);
    try {
      await this.#ray.submitJob(
        {
          submission_id: this.submissionId,
          entrypoint: this.#entrypoint(),
          runtime_env: { working_dir, env_vars: { ...env } },
          metadata: { liverl_run: runId, liverl_attempt: String(attempt) },
          ...(target.entrypoint_num_cpus > 0 && {
            entrypoint_num_cpus: target.entrypoint_num_cpus,
          }),
        },
        signal,
      );
    } catch (error) {
      // An earlier request arrived although its answer did not.
      if (!(error instanceof AppError && error.code === "CONFLICT")) throw this.#redacted(error);
    }
    const record = await this.#record();
    if (record) await this.#keep({ ...record, isAccepted: true });
  }

  #entrypoint(): string {
    return `exec ${quoteForShell([this.#parts.target.python, ...this.#parts.argv])}`;
  }

  #patiently<T>(
    signal: AbortSignal,
    tell: (detail: string) => unknown,
    act: () => Promise<T>,
  ): Promise<T> {
    return retryRay(signal, PATIENCE_MS, tell, act);
  }

  #record(): Promise<JobRecord | null> {
    return readJson(this.#recordPath, JobRecord);
  }

  async #keep(record: JobRecord): Promise<void> {
    await writeFileAtomic(this.#recordPath, JSON.stringify(record));
  }

  get #recordPath(): string {
    return this.#parts.files.job(this.#parts.attempt);
  }

  /** Ray's words of a job, short, without the secrets that it was given. */
  #words(text: string | null | undefined): string | null {
    if (!text) return null;
    return redactValues(text, this.#parts.env).trim().slice(0, LONGEST_DETAIL);
  }

  #redacted(error: unknown): unknown {
    if (!(error instanceof AppError)) return error;
    const { env } = this.#parts;
    return new AppError(error.code, {
      userMessage: redactValues(error.userMessage, env),
      message: redactValues(error.message, env),
    });
  }
}

/** How a job ended by what Ray says. Pure. */
export function endOf(job: JobDetails): { code: number | null; detail: string | null } {
  const code = job.driver_exit_code ?? null;
  if (job.status === "SUCCEEDED") return { code: code ?? 0, detail: null };
  if (job.status === "STOPPED") return { code, detail: "it was stopped on Ray" };
  // The lines behind the first are the end of its log, which we have.
  const why = job.message?.split("\n", 1)[0] ?? null;
  const kind = job.error_type ?? null;
  return { code, detail: [kind, why].filter(Boolean).join(": ") || null };
}
