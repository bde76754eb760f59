import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import { readJson, writeFileAtomic } from "@liverl/durable/atomic-file";
import { LogReplay } from "#drivers/verl/log-replay.ts";
import { LogPlace, PlacedReader } from "#drivers/verl/placed-reader.ts";
import type { KubePlace } from "#kube/load-kube.ts";
import { streamPodLog } from "#kube/stream-pod-log.ts";
import { type TimedLine, TimedLines } from "#kube/timed-lines.ts";

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 15_000;
const KEEP_EVERY_MS = 1_000;
/** How long the rest of an ended job's log is asked for: without it the run ends with what is here. */
const REST_MS = 60_000;

/** A container whose log is read, and whether it has ended. */
export interface LoggedPod {
  uid: string;
  name: string;
  container: string;
  hasEnded: boolean;
}

interface Copying {
  file: FileHandle;
  reader: PlacedReader;
  /** Null where no other pod printed the same before. */
  replay: LogReplay | null;
  since: string | null;
}

export interface PodLogParts {
  place: () => KubePlace;
  /** The run's console file. */
  path: string;
  record: string;
  /** The pods that printed the job's log, oldest first. */
  findPods: () => Promise<LoggedPod[]>;
  /** Lines were lost: the node had thrown them away before they were read. */
  onGap: () => Promise<void>;
}

/**
 * The submitter's log on its way into the run's console file, each byte once, over broken connections and lives of
 * control. One connection at a time writes.
 */
export class PodLog {
  readonly #parts: PodLogParts;
  #pulling: Promise<boolean> | null = null;
  #isComplete = false;
  readonly #cutting = new AbortController();

  constructor(parts: PodLogParts) {
    this.#parts = parts;
  }

  /** Keeps the file up with the log until `signal`. */
  async follow(signal: AbortSignal, onBreak: (error: unknown) => void): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted && !this.#isComplete) {
      try {
        await this.#pull(signal);
        waitMs = FIRST_WAIT_MS * 2;
      } catch (error) {
        onBreak(error);
        waitMs = Math.min(waitMs * 2, MOST_WAIT_MS);
      }
      await sleep(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }

  /** Once the job has ended: resolves when the whole log is here, or when it can not be had any more. */
  async complete(): Promise<void> {
    const signal = AbortSignal.timeout(REST_MS);
    const cut = () => this.#cutting.abort();
    signal.addEventListener("abort", cut, { once: true });
    for (let tries = 0; !this.#isComplete && !signal.aborted && tries < 5; tries++) {
      try {
        await this.#pulling?.catch(() => undefined);
        this.#isComplete = await this.#pull(signal);
      } catch (error) {
        if (error instanceof AppError && error.code === "NOT_FOUND") this.#isComplete = true;
      }
      if (!this.#isComplete)
        await sleep(FIRST_WAIT_MS * 2 ** tries, undefined, { signal }).catch(() => undefined);
    }
    signal.removeEventListener("abort", cut);
    this.#isComplete = true;
  }

  async #pull(until: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([until, this.#cutting.signal]);
    while (this.#pulling !== null) await this.#pulling.catch(() => undefined);
    this.#pulling = this.#pullAll(signal);
    try {
      return await this.#pulling;
    } finally {
      this.#pulling = null;
    }
  }

  /** Whether every pod has ended and is read to its end. */
  async #pullAll(signal: AbortSignal): Promise<boolean> {
    const pods = await this.#parts.findPods();
    const known = await readJson(this.#parts.record, LogPlace);
    // Those before the one that was read last are done with.
    const from = Math.max(
      0,
      pods.findIndex(({ uid }) => uid === known?.uid),
    );
    for (const pod of pods.slice(from)) {
      if (signal.aborted) return false;
      await this.#pullPod(pod, signal);
    }
    const now = await this.#parts.findPods();
    return !signal.aborted && now.length === pods.length && now.every((pod) => pod.hasEnded);
  }

  async #pullPod(pod: LoggedPod, signal: AbortSignal): Promise<void> {
    const { path, record, onGap } = this.#parts;
    const file = await open(path, "a+");
    try {
      const written = (await file.stat()).size;
      const known = await readJson(record, LogPlace);
      const isSame = known?.uid === pod.uid;
      const place = isSame
        ? known
        : { uid: pod.uid, since: null, seen: 0, last: "", size: written };
      const replay = known && !isSame ? await LogReplay.after(file, written) : null;
      // A crash between here and the first line must not make it another pod's.
      if (!replay) await writeFileAtomic(record, JSON.stringify(place));
      const reader = new PlacedReader(place, written);
      try {
        await this.#copy(pod, { file, reader, replay, since: place.since }, signal);
      } finally {
        await file.sync();
        if (replay?.isOver !== false) await writeFileAtomic(record, JSON.stringify(reader.place));
        if (reader.hasGap) await onGap();
      }
    } finally {
      await file.close();
    }
  }

  async #copy(
    pod: LoggedPod,
    { file, reader, replay, since }: Copying,
    signal: AbortSignal,
  ): Promise<void> {
    const write = async (lines: readonly TimedLine[]) => {
      const fresh = Buffer.concat(lines.map((line) => reader.take(line)));
      if (fresh.length > 0) await file.appendFile(fresh);
    };
    const cutter = new TimedLines();
    const asked = { pod: pod.name, container: pod.container, sinceTime: since };
    let keptAt = performance.now();
    for await (const chunk of streamPodLog(this.#parts.place(), asked, signal)) {
      const lines = cutter.push(chunk);
      await write(replay ? lines.flatMap((line) => replay.take(line)) : lines);
      if (replay?.isOver === false || performance.now() - keptAt < KEEP_EVERY_MS) continue;
      keptAt = performance.now();
      await writeFileAtomic(this.#parts.record, JSON.stringify(reader.place));
    }
    if (signal.aborted) return;
    // The server ends the stream with the container; a line without an end is whole only then.
    const rest = pod.hasEnded || (await this.#hasEnded(pod)) ? cutter.rest() : null;
    const last = rest ? [rest] : [];
    await write(replay ? [...last.flatMap((line) => replay.take(line)), ...replay.giveUp()] : last);
  }

  async #hasEnded({ uid }: LoggedPod): Promise<boolean> {
    const pods = await this.#parts.findPods();
    return pods.some((pod) => pod.uid === uid && pod.hasEnded);
  }
}
