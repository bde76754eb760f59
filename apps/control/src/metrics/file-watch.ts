import { type FSWatcher, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Between two looks at files that tell of their changes, to make sure: not every file system does. */
const WATCHED_MS = 1_000;
/** Between two looks where a file can not be watched. */
const UNWATCHED_MS = 100;
/** A writer of many small lines ends no more waits than one in this time. */
const GATHER_MS = 20;

/** Waits for a set of files to be written, so that nobody has to look at each of them ten times a second. */
export class FileWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #watchedMs: number;
  #wanted = 0;
  #isNudged = false;
  #isClosed = false;
  #wake = new AbortController();

  constructor({ watchedMs = WATCHED_MS } = {}) {
    this.#watchedMs = watchedMs;
  }

  /** Watches these files and no others. Cheap where they are the same: call it before each look at them. */
  follow(paths: readonly string[]): void {
    if (this.#isClosed) return;
    const wanted = new Set(paths);
    this.#wanted = wanted.size;
    for (const path of this.#watchers.keys()) if (!wanted.has(path)) this.#drop(path);
    for (const path of wanted) if (!this.#watchers.has(path)) this.#add(path);
  }

  /** Ends the wait; where nobody waits just now, the next one. */
  nudge(): void {
    this.#isNudged = true;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Resolves once it is worth a look at the files: something came since the last wait ended, or it is time to make sure. */
  async wait(): Promise<void> {
    if (this.#isClosed) return;
    if (!this.#isNudged) {
      const ms = this.#watchers.size === this.#wanted ? this.#watchedMs : UNWATCHED_MS;
      await sleep(ms, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    }
    if (this.#isNudged) await sleep(GATHER_MS);
    this.#isNudged = false;
  }

  /** Ends the wait for good. */
  close(): void {
    this.follow([]);
    this.#isClosed = true;
    this.nudge();
  }

  #add(path: string): void {
    try {
      const watcher = watch(path, { persistent: false });
      this.#watchers.set(path, watcher);
      watcher.on("change", (what) => {
        // Another file has this name now, or none.
        if (what === "rename") this.#drop(path);
        this.nudge();
      });
      watcher.on("error", () => this.#drop(path));
    } catch {
      // Not there yet, or no watch left to give: it is looked at more often, and the next call tries again.
    }
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close();
    this.#watchers.delete(path);
  }
}
