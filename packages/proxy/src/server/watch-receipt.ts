import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Receipt } from "#sessions/session.ts";

/** A client that closes its connection later than this has read the answer, as far as anybody can tell. */
const CLOSED_AT_ONCE_MS = 1_000;

/** The last answer on each connection: the next request on it proves that the answer was read. */
class Delivery {
  readonly #report: (receipt: Receipt) => void;
  finishedAt: number | null = null;
  hasEnded = false;

  constructor(report: (receipt: Receipt) => void) {
    this.#report = report;
  }

  finish(): void {
    this.finishedAt = performance.now();
    this.#report("whole");
  }

  close(isReset: boolean): void {
    if (isReset || this.finishedAt === null) this.#report("lost");
    else if (this.hasEnded && performance.now() - this.finishedAt < CLOSED_AT_ONCE_MS)
      this.#report("closed");
  }
}

const deliveries = new WeakMap<Socket, Delivery>();

/** Reports how the answer that is about to be sent arrives, again where more becomes known. */
export function watchReceipt(response: ServerResponse, report: (receipt: Receipt) => void): void {
  const delivery = new Delivery(report);
  const { socket } = response;
  if (!socket || socket.destroyed) {
    report("lost");
    return;
  }
  if (!deliveries.has(socket)) {
    // Before the server's own listener, which ends this side.
    socket.prependListener("end", () => {
      const last = deliveries.get(socket);
      // Where this side ends the connection, the client's end is its answer to that.
      if (last && !socket.writableEnded) last.hasEnded = true;
    });
    socket.once("close", (isReset) => deliveries.get(socket)?.close(isReset));
  }
  deliveries.set(socket, delivery);
  response.once("finish", () => delivery.finish());
  response.once("close", () => {
    if (!response.writableFinished) report("lost");
  });
}
