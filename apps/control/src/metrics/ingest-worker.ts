import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "@liverl/contract/app-error";
import { openPool } from "#database/open-pool.ts";
import type { Ingest } from "#metrics/ingest.ts";
import type {
  FromWorker,
  IngestCall,
  IngestWorkerOptions,
  ToWorker,
} from "#metrics/ingest-messages.ts";
import { openIngest } from "#metrics/open-ingest.ts";

// Entry point of the ingest thread: all parsing, folding and bucketing happens here, off control's event loop.
const port = parentPort;
if (!port) throw new Error("ingest-worker runs as a worker thread");
const { databaseUrl, directory } = workerData as IngestWorkerOptions;
const say = (message: FromWorker) => port.postMessage(message);
const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const pool = openPool(databaseUrl, 4);

const ingest = await openIngest({
  pool,
  directory,
  onFold: (outcome) => say({ kind: "fold", outcome }),
  onTrouble: (what, error) => say({ kind: "trouble", what, message: textOf(error) }),
});

async function answer(on: Ingest, call: IngestCall): Promise<unknown> {
  switch (call.verb) {
    case "readSeries":
      return on.readSeries(call.input);
    case "readBacklog":
      return on.readBacklog(call.runId, call.after);
    case "append":
      return on.append(call.runId, call.lines);
    case "take":
      return on.take(call.sent, call.writer);
    case "settle":
      return on.settle();
    case "readPoints":
      return on.readPoints(call.input);
    case "refresh":
      return on.refresh();
    case "close":
      await on.close();
      return pool.end();
  }
}

port.on("message", ({ id, call }: ToWorker) => {
  answer(ingest, call).then(
    (value) => {
      say({ kind: "answer", id, value });
      if (call.verb === "close") port.close();
    },
    (error: unknown) => {
      if (error instanceof AppError) {
        const { userMessage, code } = error;
        return say({ kind: "refusal", id, message: userMessage, code: null, app: code });
      }
      const code = error instanceof Error && "code" in error ? String(error.code) : null;
      say({ kind: "refusal", id, message: textOf(error), code, app: null });
    },
  );
});
say({ kind: "ready" });
