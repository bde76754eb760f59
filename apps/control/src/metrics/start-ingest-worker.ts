import { Worker } from "node:worker_threads";
import type { SeriesAnswer } from "@liverl/contract/metric";
import type { FoldOutcome } from "#metrics/fold-records.ts";
import type { Backlog, Ingest } from "#metrics/ingest.ts";
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
          waiting
            .get(message.id)
            ?.reject(
              Object.assign(new Error(message.message), { code: message.code, syscall: "connect" }),
            );
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
