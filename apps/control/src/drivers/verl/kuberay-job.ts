import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { z } from "zod";
import type { Context } from "#context.ts";
import { JobNotes } from "#drivers/verl/job-notes.ts";
import type { JobState, VerlJob } from "#drivers/verl/job-state.ts";
import { type LoggedPod, PodLog } from "#drivers/verl/pod-log.ts";
import { podLoss, podProblem } from "#drivers/verl/pod-problem.ts";
import { stateOfRayJob } from "#drivers/verl/rayjob-state.ts";
import type { VerlFiles } from "#drivers/verl/verl-files.ts";
import { KubeClient } from "#kube/kube-client.ts";
import type { KubePlace } from "#kube/load-kube.ts";
import type { RayJobObject } from "#kube/rayjob.ts";
import { LABELS, rayJobName } from "#kube/rayjob-manifest.ts";
import { type LaunchObjects, RayJobObjects } from "#kube/rayjob-objects.ts";
import { RayJobWatch } from "#kube/rayjob-watch.ts";
import { redactValues } from "#ray/redact-values.ts";
import { retryRay } from "#ray/retry-ray.ts";

/** A cluster that does not answer is waited for this long before a start is given up; a job that runs, for ever. */
const PATIENCE_MS = 120_000;
const ASK_EVERY_MS = 2_000;
const ASK_AGAIN_MOST_MS = 15_000;
const METRICS_EVERY_MS = 1_000;
const LONGEST_DETAIL = 500;

/** What an attempt knows of its job over restarts of control. Written before the job is asked for. */
const JobRecord = z.object({
  name: z.string(),
  server: z.string(),
  namespace: z.string(),
  /** Null: Kubernetes has not said yet that it has it. */
  uid: z.string().nullable(),
  end: z.object({ code: z.number().nullable(), detail: z.string().nullable() }).nullable(),
});
type JobRecord = z.infer<typeof JobRecord>;

export interface KubeRayJobParts {
  runId: string;
  attempt: number;
  files: VerlFiles;
  /** Throws where no kubeconfig leads to a cluster: of a job that runs nothing follows from that. */
  place: () => KubePlace;
  /** What the words of Kubernetes and verl must not show. */
  env: Readonly<Record<string, string>>;
  /** All that is made in the cluster, by the RayJob's name. Throws where something is too large. */
  objects: (name: string) => LaunchObjects;
}

/** verl as a RayJob. Its name is chosen and recorded first, so a second start finds the first's. */
export class KubeRayJob implements VerlJob {
  readonly #ctx: Pick<Context, "db" | "live" | "log">;
  readonly #parts: KubeRayJobParts;
  #client: KubeClient | null = null;
  readonly #watch: RayJobWatch;
  readonly #log: PodLog;
  readonly #notes: JobNotes;
  #last: { state: JobState; askAgainAt: number } | null = null;
  #failures = 0;

  constructor(ctx: Pick<Context, "db" | "live" | "log">, parts: KubeRayJobParts) {
    const { attempt, files } = parts;
    this.#ctx = ctx;
    this.#parts = parts;
    this.#watch = new RayJobWatch(() => this.#kube);
    this.#notes = new JobNotes(ctx, parts);
    this.#log = new PodLog({
      place: () => this.#kube.place,
      path: files.console(attempt),
      record: files.logPlace(attempt),
      findPods: () => this.#submitters(),
      onGap: () =>
        this.#notes.alert(
          "Lines of verl's log are missing: the node had thrown them away before they were read.",
        ),
    });
  }

  async prepare(progress: (detail: string) => void, signal: AbortSignal): Promise<void> {
    const { files, attempt, objects, runId } = this.#parts;
    await mkdir(dirname(files.console(attempt)), { recursive: true });
    // Said now, while somebody looks, rather than by the cluster.
    objects(rayJobName(runId, attempt, "00000000"));
    if (await this.#record()) return;
    const { place } = this.#kube;
    const has = await this.#patiently(signal, progress, () => this.#kube.hasRayJobs());
    if (!has)
      throw new AppError("BAD_REQUEST", {
        userMessage: `KubeRay is not installed in the cluster at ${place.server}: it has no rayjobs.ray.io. Install the KubeRay operator (helm install kuberay-operator kuberay/kuberay-operator).`,
      });
    progress(`KubeRay at ${place.server}, namespace ${place.namespace}`);
  }

  async start(signal: AbortSignal): Promise<void> {
    const known = await this.#record();
    if (known?.uid) return;
    const { runId, attempt } = this.#parts;
    const { place } = this.#kube;
    const record = known ?? {
      name: rayJobName(runId, attempt, randomUUID().slice(0, 8)),
      ...{ server: place.server, namespace: place.namespace },
      ...{ uid: null, end: null },
    };
    await this.#keep(record);
    const tell = (detail: string) => this.#notes.tellPhase(detail);
    await this.#patiently(signal, tell, () => this.#submit(record));
    this.#last = null;
  }

  /** Takes what the watch tells; asks at most once in two seconds where there is none, and less often while nobody answers. */
  async state(): Promise<JobState> {
    if (this.#last && performance.now() < this.#last.askAgainAt && !this.#watch.hasNews())
      return this.#last.state;
    const state = await this.#ask();
    this.#failures = state.kind === "unknown" ? this.#failures + 1 : 0;
    const waitMs = Math.min(ASK_EVERY_MS * 2 ** this.#failures, ASK_AGAIN_MOST_MS);
    const askAgainAt = performance.now() + waitMs * (0.8 + 0.4 * Math.random());
    await this.#notes.change(this.#last?.state ?? null, state, "Kubernetes");
    this.#last = { state, askAgainAt };
    return state;
  }

  async stop(signal?: AbortSignal): Promise<void> {
    const record = await this.#record();
    if (!record) return;
    let isTold = false;
    for (;;) {
      try {
        const isThere = await this.#kube.deleteRayJob(record.name);
        if (!isThere && (await this.#pods(record.name)).length === 0) {
          await this.#objects.remove(record.name);
          break;
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (!isTold)
          await this.#notes.alert(`The job is not gone yet: ${this.#words(error.userMessage)}`);
        isTold = true;
      }
      await sleep(1_000, undefined, { signal });
    }
    await this.#log.complete();
    await this.#notes.followMetrics(true);
  }

  async followLog(signal: AbortSignal): Promise<void> {
    const { runId } = this.#parts;
    const record = await this.#record();
    const following = [
      this.#log.follow(signal, (error) =>
        this.#ctx.log.debug({ err: error, runId }, "the job's log broke off"),
      ),
      record ? this.#watch.follow(record.name, signal) : Promise.resolve(),
    ];
    while (!signal.aborted) {
      try {
        await this.#notes.followMetrics(false);
      } catch (error) {
        this.#ctx.log.warn({ err: error, runId }, "console metrics wait");
      }
      await sleep(METRICS_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(following);
  }

  async #ask(): Promise<JobState> {
    const record = await this.#record();
    if (!record) return { kind: "ended", code: null, detail: "the job was never submitted" };
    if (record.end) return { kind: "ended", ...record.end };
    try {
      // Control was killed between its record and Kubernetes' answer.
      if (!record.uid) {
        await this.#submit(record);
        return { kind: "waiting", detail: "the RayJob was created" };
      }
      const job = this.#watch.latest() ?? (await this.#kube.getRayJob(record.name));
      if (job.metadata.uid !== record.uid) return await this.#gone(record);
      return await this.#judge(record, job);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "NOT_FOUND") return await this.#gone(record);
      return { kind: "unknown", detail: this.#words(error.userMessage) };
    }
  }

  get #kube(): KubeClient {
    this.#client ??= new KubeClient(this.#parts.place());
    return this.#client;
  }

  get #objects(): RayJobObjects {
    return new RayJobObjects(this.#kube);
  }

  async #judge(record: JobRecord, job: RayJobObject): Promise<JobState> {
    const state = stateOfRayJob(job);
    if (state.kind === "ended") {
      const loss = state.code === 0 ? null : podLoss(await this.#podsIfKnown(record.name));
      const detail = [state.detail, loss].filter(Boolean).join("; ") || null;
      return await this.#end(record, { code: state.code, detail });
    }
    if (state.kind !== "waiting") return state;
    const problem = podProblem(await this.#podsIfKnown(record.name));
    return { kind: "waiting", detail: problem === null ? state.detail : this.#words(problem) };
  }

  #gone(record: JobRecord): Promise<JobState> {
    return this.#end(record, {
      code: null,
      detail: `the RayJob ${record.name} is gone from the namespace ${record.namespace}: somebody deleted it`,
    });
  }

  /** All that it printed is here before it counts as ended: the reason and the last steps stand there. */
  async #end(record: JobRecord, end: NonNullable<JobRecord["end"]>): Promise<JobState> {
    const told = { ...end, detail: end.detail === null ? null : this.#words(end.detail) };
    await this.#log.complete();
    await this.#notes.followMetrics(true);
    await this.#keep({ ...record, end: told });
    // Its tokens are of no more use. The RayJob stays for those who want to look; its owner's word ends them later, too.
    await this.#objects
      .remove(record.name)
      .catch((error: unknown) =>
        this.#ctx.log.warn({ err: error, runId: this.#parts.runId }, "secrets of a job stay"),
      );
    return { kind: "ended", ...told };
  }

  async #submit(record: JobRecord): Promise<void> {
    const { uid } = await this.#objects.create(this.#parts.objects(record.name));
    await this.#keep({ ...record, uid });
  }

  async #submitters(): Promise<LoggedPod[]> {
    const record = await this.#record();
    if (!record) return [];
    const pods = await this.#pods(record.name, "submitter");
    return pods
      .sort((a, b) => Number(a.metadata?.creationTimestamp) - Number(b.metadata?.creationTimestamp))
      .flatMap(({ metadata, spec, status }) => {
        const state = status?.containerStatuses?.[0]?.state;
        if (!state?.running && !state?.terminated) return [];
        return {
          uid: metadata?.uid ?? "",
          name: metadata?.name ?? "",
          container: spec?.containers[0]?.name ?? "",
          hasEnded: state.terminated !== undefined,
        };
      });
  }

  /** Its pods say more of a state; without them it is what it is. */
  #podsIfKnown(name: string) {
    return this.#pods(name).catch((error: unknown) => {
      this.#ctx.log.debug({ err: error, runId: this.#parts.runId }, "the job's pods are not known");
      return [];
    });
  }

  #pods(name: string, role?: string) {
    const labels = { [LABELS.launch]: name, ...(role !== undefined && { [LABELS.role]: role }) };
    return this.#kube.listPods(
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(","),
    );
  }

  #patiently<T>(
    signal: AbortSignal,
    tell: (detail: string) => unknown,
    act: () => Promise<T>,
  ): Promise<T> {
    return retryRay(signal, PATIENCE_MS, tell, act);
  }

  #record(): Promise<JobRecord | null> {
    return readJson(this.#parts.files.job(this.#parts.attempt), JobRecord);
  }

  async #keep(record: JobRecord): Promise<void> {
    await writeFileAtomic(this.#parts.files.job(this.#parts.attempt), JSON.stringify(record));
  }

  /** Others' words, short, without the secrets that they were given. */
  #words(text: string): string {
    return redactValues(text, this.#parts.env).trim().slice(0, LONGEST_DETAIL);
  }
}
