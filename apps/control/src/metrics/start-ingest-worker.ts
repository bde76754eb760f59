import { Worker } from "node:worker_threads";
import { AppError } from "@liverl/contract/app-error";
import type { SeriesAnswer } from "@liverl/contract/metric";
import type { Points } from "#metrics/chunk-points.ts";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import type { Backlog, Ingest, TakenBody } from "#metrics/ingest.ts";
import type {
  FromWorker,
  IngestCall,
  IngestWorkerOptions,
  ToWorker,
} from "#metrics/ingest-messages.ts";

interface Listeners {
  onFold: (outcome: FoldOutcome) => void;
  onTrouble: (what: string, message: string) => void;
  /** The thread died by a fault of ours; nothing follows any more. */
  onDeath: (error: Error) => void;
}

/** Starts the ingest thread. Resolves once it has opened its journal. */
export async function startIngestWorker(
  script: string,
  options: IngestWorkerOptions,
  listeners: Listeners,
): Promise<Ingest> {
  const worker = new Worker(script, { workerData: options });
  const waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  let lastId = 0;
  let closed = false;
  let ended: Error | null = null;

  const call = (request: IngestCall) =>
    new Promise<unknown>((resolve, reject) => {
      // A message to a thread that has ended is never answered.
      if (ended) return reject(ended);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, call: request } satisfies ToWorker);
    });

  await new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.on("message", (message: FromWorker) => {
      switch (message.kind) {
        case "ready":
          worker.off("error", reject);
          return resolve();
        case "answer":
          waiting.get(message.id)?.resolve(message.value);
          return waiting.delete(message.id);
        case "refusal":
          waiting.get(message.id)?.reject(errorOf(message));
          return waiting.delete(message.id);
        case "fold":
          return listeners.onFold(message.outcome);
        case "trouble":
          return listeners.onTrouble(message.what, message.message);
      }
    });
  });
  const fail = (error: Error) => {
    // An error is followed by an exit: the first word counts.
    if (ended) return;
    ended = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (!closed) listeners.onDeath(error);
  };
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`the ingest thread ended with code ${code}`)));

  return {
    readSeries: (input) => call({ verb: "readSeries", input }) as Promise<SeriesAnswer>,
    readBacklog: (runId, after) => call({ verb: "readBacklog", runId, after }) as Promise<Backlog>,
    take: (sent, writer) => call({ verb: "take", sent, writer }) as Promise<TakenBody>,
    settle: () => call({ verb: "settle" }) as Promise<void>,
    readPoints: (input) => call({ verb: "readPoints", input }) as Promise<Points>,
    append: async (runId, lines) => {
      await call({ verb: "append", runId, lines });
    },
    refresh: () => {
      call({ verb: "refresh" }).catch((error: Error) =>
        listeners.onTrouble("looking for new metrics files", error.message),
      );
    },
    close: async () => {
      closed = true;
      await call({ verb: "close" }).catch((error: unknown) => {
        // A thread that died has nothing left to close.
        if (!ended) throw error;
      });
    },
  };
}

/** The refusal as the thread meant it: an error class does not survive the way between threads. */
function errorOf(refusal: Extract<FromWorker, { kind: "refusal" }>): Error {
  if (refusal.app !== null) return new AppError(refusal.app, { userMessage: refusal.message });
  return Object.assign(new Error(refusal.message), { code: refusal.code, syscall: "connect" });
}
