import { setTimeout as sleep } from "node:timers/promises";
import { type V1Pod, Watch } from "@kubernetes/client-node";
import type { Logger } from "pino";
import type { KubeCalls } from "#sandboxes/kubernetes/kube-calls.ts";
import type { KubeSettings } from "#sandboxes/kubernetes/kube-settings.ts";

const WATCH_S = 240;
/** The server sends a bookmark about once a minute: what is quiet for longer may be a connection that died without a word. */
const SILENT_MS = 80_000;
/** The same, where somebody waits for what must come. */
const DOUBT_MS = 10_000;
const LEAST_PAUSE_MS = 200;
const MOST_PAUSE_MS = 10_000;

/**
 * What becomes of every pod with a label, by one list and one watch, however many pods there are. Whatever ends the watch
 * (410 Gone, the server's time limit, a broken connection), all are listed anew.
 */
export class PodFeed {
  readonly #pods = new Map<string, V1Pod>();
  /** By the pod's name: the news of one are no news to a thousand others. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #closing = new AbortController();
  #lastError: unknown = null;
  #isRunning = false;
  #heardAt = 0;
  /** Null while a watch goes on from a list. */
  #stillSince: number | null = Date.now();
  #endWatch = () => undefined as void;

  constructor(
    private readonly settings: Pick<KubeSettings, "config" | "namespace">,
    private readonly calls: Pick<KubeCalls, "listPods">,
    private readonly labelSelector: string,
    private readonly log: Pick<Logger, "debug">,
  ) {}

  /** Begins with the first that asks; a cluster that nobody needs is not asked. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  close(): void {
    this.#closing.abort();
  }

  /** Last seen; null where it was never seen or is gone. */
  get(name: string): V1Pod | null {
    return this.#pods.get(name) ?? null;
  }

  /** No more news will come. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** For how long it has not followed the cluster, ms: what became of pods since is not known. */
  get stoodStillMs(): number {
    return this.#stillSince === null ? 0 : Date.now() - this.#stillSince;
  }

  /** Why the feed stands still; null while it does not. */
  get fault(): unknown {
    return this.#lastError;
  }

  /** Resolves with the next news of that pod, or after `ms`. */
  async news(name: string, ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(name);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener("abort", wake, { once: true });
      waiting.add(wake);
    });
    signal?.throwIfAborted();
  }

  /** News are due that do not come: if there are none of any pod either, all are listed anew. */
  doubt(): void {
    if (Date.now() - this.#heardAt < DOUBT_MS) return;
    this.#heardAt = Date.now();
    this.#endWatch();
  }

  async #run(): Promise<void> {
    let pauseMs = LEAST_PAUSE_MS;
    while (!this.#closing.signal.aborted) {
      try {
        const { pods, version } = await this.calls.listPods(this.labelSelector);
        this.#pods.clear();
        for (const pod of pods) this.#keep(pod);
        this.#lastError = null;
        this.#stillSince = null;
        this.#wakeAll();
        const began = Date.now();
        await this.#watch(version);
        this.#stillSince = Date.now();
        // One that ends at once again and again must not become a storm of lists.
        pauseMs = Date.now() - began > MOST_PAUSE_MS ? LEAST_PAUSE_MS : nextPause(pauseMs);
      } catch (error) {
        this.#lastError = error;
        this.log.debug({ err: error }, "Kubernetes could not be asked for pods");
        pauseMs = nextPause(pauseMs);
        this.#wakeAll();
      }
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, {
        signal: this.#closing.signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  async #watch(resourceVersion: string | undefined): Promise<void> {
    const { config, namespace } = this.settings;
    const ending = new AbortController();
    const end = () => ending.abort();
    const silence = setTimeout(end, SILENT_MS).unref();
    this.#heardAt = Date.now();
    this.#endWatch = end;
    this.#closing.signal.addEventListener("abort", end, { once: true });
    await new Promise<void>((resolve) => {
      ending.signal.addEventListener("abort", () => resolve(), { once: true });
      const hear = (type: string, pod: V1Pod) => {
        // A list may be newer.
        if (ending.signal.aborted) return;
        silence.refresh();
        this.#heardAt = Date.now();
        if (type === "ERROR") end();
        else if (type !== "BOOKMARK") this.#note(type, pod);
      };
      new Watch(config)
        .watch(
          `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`,
          {
            labelSelector: this.labelSelector,
            resourceVersion,
            timeoutSeconds: WATCH_S,
            allowWatchBookmarks: true,
          },
          hear,
          () => resolve(),
        )
        .then(
          (watching) => {
            if (ending.signal.aborted) watching.abort();
            ending.signal.addEventListener("abort", () => watching.abort(), { once: true });
          },
          () => resolve(),
        );
    });
    clearTimeout(silence);
    this.#closing.signal.removeEventListener("abort", end);
    end();
  }

  #note(type: string, pod: V1Pod): void {
    const name = pod.metadata?.name ?? "";
    if (type === "DELETED") this.#pods.delete(name);
    else this.#keep(pod);
    this.#wake(name);
  }

  #keep(pod: V1Pod): void {
    if (pod.metadata?.name) this.#pods.set(pod.metadata.name, pod);
  }

  #wake(name: string): void {
    for (const wake of [...(this.#waiting.get(name) ?? [])]) wake();
  }

  #wakeAll(): void {
    for (const name of [...this.#waiting.keys()]) this.#wake(name);
  }
}

const nextPause = (ms: number) => Math.min(ms * 2, MOST_PAUSE_MS);
