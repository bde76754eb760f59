import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@liverl/contract/app-error";
import type { RayPlace } from "#ray/call-ray.ts";
import { pullJobLog } from "#ray/pull-job-log.ts";

const FIRST_WAIT_MS = 500;
const CLOSED_WAIT_MS = 3_000;
const MOST_WAIT_MS = 15_000;
/** How long the rest of an ended job's log is asked for: without it the run ends with what is here. */
const REST_MS = 60_000;

/** A job's log on its way into the run's console file. One connection at a time writes. */
export class RayLog {
  readonly #place: RayPlace;
  readonly #submissionId: string;
  readonly #path: string;
  #pulling: Promise<boolean> | null = null;
  #isComplete = false;
  readonly #cutting = new AbortController();

  constructor(place: RayPlace, submissionId: string, path: string) {
    this.#place = place;
    this.#submissionId = submissionId;
    this.#path = path;
  }

  /** Keeps the file up with the job's log until `signal`, over broken connections. */
  async follow(signal: AbortSignal, onBreak: (error: unknown) => void): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted && !this.#isComplete) {
      try {
        await this.#pull(signal);
        // Its end is near; or its agent went away, which looks the same from here.
        waitMs = CLOSED_WAIT_MS;
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
        // What is under way ends by itself: Ray closes when it has sent the last line.
        await this.#pulling?.catch(() => undefined);
        this.#isComplete = await this.#pull(signal);
      } catch (error) {
        if (error instanceof AppError && error.code === "NOT_FOUND") this.#isComplete = true;
        else await sleep(FIRST_WAIT_MS * 2 ** tries, undefined, { signal }).catch(() => undefined);
      }
    }
    signal.removeEventListener("abort", cut);
    this.#isComplete = true;
  }

  async #pull(until: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([until, this.#cutting.signal]);
    while (this.#pulling !== null) await this.#pulling.catch(() => undefined);
    this.#pulling = pullJobLog(this.#place, this.#submissionId, this.#path, signal);
    try {
      return await this.#pulling;
    } finally {
      this.#pulling = null;
    }
  }
}
